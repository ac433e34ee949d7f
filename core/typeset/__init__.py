"""Heavy work on the text of a message, off the GUI thread: the colours of code, maths as drawings, pictures on demand."""
