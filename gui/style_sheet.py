"""The application's style sheet: shapes and distances. Colours are palette roles only.

Widgets choose a look by a property: `kind` on buttons ("primary", "quiet", "tool", "nav"), `tone` on labels
("quiet", "bad", "accent"), `card` on frames.
"""

STYLE_SHEET = """
QFrame[card="true"] {
    background: palette(base); border: 1px solid palette(midlight); border-radius: 10px;
}
QFrame[card="chosen"] {
    background: palette(base); border: 1px solid palette(accent); border-radius: 10px;
}
QFrame[card="bubble"] {
    background: palette(alternate-base); border: none; border-radius: 10px;
}
QFrame[card="error"] {
    background: palette(base); border: 1px solid palette(bright-text); border-radius: 10px;
}
QFrame[strip="side"] { background: palette(base); border: none; border-right: 1px solid palette(midlight); }
QFrame[strip="conversations"] { background: transparent; border: none; border-right: 1px solid palette(midlight); }
QFrame[strip="controls"] { background: transparent; border: none; border-left: 1px solid palette(midlight); }
QFrame[strip="bottom"] { background: palette(base); border: none; border-top: 1px solid palette(midlight); }
QFrame[card="composer"] {
    background: palette(base); border: 1px solid palette(mid); border-radius: 12px;
}
QFrame[card="composer"][focused="true"] { border: 1px solid palette(accent); }
QFrame[card="chip"] { background: palette(alternate-base); border: none; border-radius: 8px; }

QLabel { background: transparent; }
QLabel[tone="quiet"] { color: palette(placeholder-text); }
QLabel[tone="bad"] { color: palette(bright-text); }
QLabel[tone="accent"] { color: palette(accent); }
QLabel[tone="chip"] {
    color: palette(placeholder-text); background: palette(alternate-base); border-radius: 8px; padding: 2px 8px;
}

QPushButton {
    background: palette(button); color: palette(button-text);
    border: 1px solid palette(mid); border-radius: 6px; padding: 6px 14px; min-height: 20px;
}
QPushButton:hover { background: palette(midlight); }
QPushButton:pressed { background: palette(mid); }
QPushButton:focus { border: 1px solid palette(accent); }
QPushButton:disabled { color: palette(dark); border-color: palette(midlight); }
QPushButton[kind="primary"] {
    background: palette(accent); color: palette(highlighted-text); border: 1px solid palette(accent); font-weight: 600;
}
QPushButton[kind="primary"]:hover { border: 1px solid palette(text); }
QPushButton[kind="primary"]:focus { border: 2px solid palette(text); padding: 5px 13px; }
QPushButton[kind="primary"]:disabled {
    background: palette(midlight); color: palette(dark); border-color: palette(midlight);
}
QPushButton[kind="quiet"] { background: transparent; border: 1px solid transparent; padding: 6px 10px; }
QPushButton[kind="quiet"]:hover { background: palette(midlight); }
QPushButton[kind="quiet"]:focus { border: 1px solid palette(accent); }
QPushButton[kind="quiet"]:disabled { color: palette(dark); }

QPushButton[kind="quiet"]:checked { background: palette(alternate-base); }
QPushButton[kind="small"] { padding: 2px 10px; min-height: 18px; }

QPushButton[kind="chip"] {
    background: palette(alternate-base); border: 1px solid transparent; border-radius: 10px; padding: 1px 8px;
    min-height: 18px;
}
QPushButton[kind="chip"]:hover { background: palette(midlight); }
QPushButton[kind="chip"][verdict="no_effect"] { color: palette(bright-text); border: 1px solid palette(bright-text); }
QPushButton[kind="chip"][verdict="cannot_tell"] { color: palette(placeholder-text); }
QPushButton[kind="chip"]:focus { border: 1px solid palette(accent); }

QPushButton[kind="icon"] { background: transparent; border: 1px solid transparent; padding: 4px 6px; }
QPushButton[kind="icon"]:hover { background: palette(midlight); }
QPushButton[kind="icon"]:focus { border: 1px solid palette(accent); }
QPushButton[kind="tool"] {
    background: transparent; border: 1px solid transparent; padding: 2px 0; border-radius: 6px;
}
QPushButton[kind="tool"]:hover { background: palette(midlight); }
QPushButton[kind="tool"]:checked { background: palette(alternate-base); }
QPushButton[kind="tool"]:focus { border: 1px solid palette(accent); }

QPushButton[kind="tab"] {
    background: transparent; border: none; border-bottom: 2px solid transparent; border-radius: 0; padding: 4px 10px;
}
QPushButton[kind="tab"]:hover { background: palette(midlight); }
QPushButton[kind="tab"]:checked { border-bottom: 2px solid palette(accent); color: palette(accent); }
QPushButton[kind="tab"]:focus { background: palette(alternate-base); }

QToolButton[kind="nav"] {
    background: transparent; color: palette(window-text); border: none; border-left: 3px solid transparent;
    border-radius: 6px; padding: 8px 10px; text-align: left;
}
QToolButton[kind="nav"]:hover { background: palette(alternate-base); }
QToolButton[kind="nav"]:checked {
    background: palette(alternate-base); border-left: 3px solid palette(accent); font-weight: 600;
}
QToolButton[kind="nav"]:focus { border: 1px solid palette(accent); border-left: 3px solid palette(accent); }
QToolButton[kind="fold"] {
    background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 2px 4px;
}
QToolButton[kind="fold"]:hover { background: palette(midlight); }
QToolButton[kind="fold"]:focus { border: 1px solid palette(accent); }

QLineEdit, QPlainTextEdit {
    background: palette(base); color: palette(text); border: 1px solid palette(mid); border-radius: 6px;
    padding: 5px 8px; selection-background-color: palette(highlight); selection-color: palette(highlighted-text);
}
QLineEdit:focus, QPlainTextEdit:focus { border: 1px solid palette(accent); }
QLineEdit:disabled, QPlainTextEdit:disabled { color: palette(dark); }
QPlainTextEdit[look="bare"], QPlainTextEdit[look="bare"]:focus {
    background: transparent; border: none; padding: 2px 4px;
}
QListView[look="rows"] { background: transparent; color: palette(text); border: none; outline: none; }
QListView[look="rows"] QLineEdit { padding: 1px 6px; }
QMenu { background: palette(base); color: palette(text); border: 1px solid palette(mid); padding: 4px; }
QMenu::item { padding: 6px 20px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: palette(alternate-base); }
QMenu::item:disabled { color: palette(placeholder-text); }
QMenu::indicator { width: 14px; height: 14px; left: 4px; }
QMenu::item:checked, QMenu::item:unchecked { padding-left: 12px; }
QMenu::separator { height: 1px; background: palette(midlight); margin: 4px 8px; }
QPlainTextEdit[look="log"] { padding: 8px; border: 1px solid palette(midlight); border-radius: 10px; }
QTextBrowser { background: transparent; border: none; padding: 0; }
QTextBrowser[tone="quiet"] { color: palette(placeholder-text); }

QSlider::groove:horizontal { background: palette(midlight); height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: palette(accent); height: 4px; border-radius: 2px; }
QSlider::handle:horizontal {
    background: palette(base); border: 2px solid palette(accent); width: 12px; height: 12px; margin: -6px 0;
    border-radius: 8px;
}
QSlider::handle:horizontal:hover { background: palette(midlight); }
QSlider::handle:horizontal:focus { background: palette(accent); }
QSlider::add-page:horizontal { background: palette(midlight); height: 4px; border-radius: 2px; }

QProgressBar { background: palette(midlight); border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar[look="budget"] { border: none; min-height: 24px; max-height: 160px; }
QProgressBar::chunk { background: palette(accent); border-radius: 3px; }

QListView#hubList {
    background: palette(base); border: 1px solid palette(midlight); border-radius: 10px; padding: 4px;
}
QListView#hubList:focus { border: 1px solid palette(accent); }
QTableView {
    background: palette(base); color: palette(text); border: 1px solid palette(midlight); border-radius: 10px;
    padding: 4px; selection-background-color: palette(highlight); selection-color: palette(highlighted-text);
}
QTableView:focus { border: 1px solid palette(accent); }
QTableView::item { padding: 0 6px; border: none; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section {
    background: transparent; color: palette(placeholder-text); border: none;
    border-bottom: 1px solid palette(midlight); padding: 4px 6px; text-align: left;
}

QSplitter::handle { background: transparent; }
QScrollArea { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 2px; }
QScrollBar::handle:vertical { background: palette(mid); border-radius: 4px; min-height: 32px; }
QScrollBar::handle:vertical:hover { background: palette(dark); }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 2px; }
QScrollBar::handle:horizontal { background: palette(mid); border-radius: 4px; min-width: 32px; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {
    background: transparent; border: none; width: 0; height: 0;
}
QAbstractScrollArea::corner { background: transparent; border: none; }
QToolTip {
    background: palette(tool-tip-base); color: palette(tool-tip-text); border: 1px solid palette(mid); padding: 6px;
}
"""
