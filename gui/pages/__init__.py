"""One folder per page: widgets in page.py, no layout in presenter.py."""
