"""Heavy work on the text of a message, off the GUI thread: colours of code, maths as drawings, pictures on demand."""
