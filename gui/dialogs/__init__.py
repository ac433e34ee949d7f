"""Window-modal dialogs, opened with open(), never exec()."""
