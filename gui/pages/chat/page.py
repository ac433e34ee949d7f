"""Chat: the conversation, what to do first when there is none, and the line to write on."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPalette
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QStackedWidget, QWidget

from gui.dialogs.question import Question as Asking
from gui.icons import set_icon
from gui.pages.chat.composer import Composer
from gui.pages.chat.message_list import WIDEST, MessageList
from gui.pages.chat.messages import Answer, Question
from gui.theme import STEP
from gui.widgets.banner import Banner
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.fold import Fold
from gui.widgets.texts import heading, quiet, title


class ChatPage(QWidget):
    sent = Signal(str)
    stop_wanted = Signal()
    new_wanted = Signal()
    launch_wanted = Signal()
    system_changed = Signal(str)

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._model = quiet()
        self._new = button(self.tr("New conversation"), "newConversationButton", icon="add")
        self._new.clicked.connect(self.new_wanted)
        self.banner = Banner(self)
        self._messages = MessageList()
        self._invitation = Invitation()
        self._invitation.launch_wanted.connect(self.launch_wanted)
        self._invitation.suggested.connect(self.sent)
        self._middle = QStackedWidget()
        self._middle.addWidget(self._invitation)
        self._middle.addWidget(self._messages)
        self._system = QPlainTextEdit()
        self.composer = Composer()
        self.composer.sent.connect(self.sent)
        self.composer.stop_wanted.connect(self.stop_wanted)
        self._build()

    def _build(self) -> None:
        self._system.setObjectName("systemPrompt")
        self._system.setAccessibleName(self.tr("System prompt"))
        self._system.setPlaceholderText(self.tr("How the model should behave, for example: Answer briefly."))
        self._system.setTabChangesFocus(True)
        self._system.setFixedHeight(9 * STEP)
        self._system.textChanged.connect(self._system_edited)
        layout = column(self, spacing=STEP)
        layout.setContentsMargins(4 * STEP, 3 * STEP, 4 * STEP, 2 * STEP)
        head = row()
        words = column(spacing=STEP // 2)
        words.addWidget(title(self.tr("Chat")))
        words.addWidget(self._model)
        head.addLayout(words, 1)
        head.addWidget(self._new, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(head)
        layout.addWidget(self.banner)
        layout.addWidget(self._middle, 1)
        foot = QWidget()
        foot.setMaximumWidth(WIDEST)
        inside = column(foot, spacing=STEP)
        inside.addWidget(Fold(self.tr("System prompt"), self._system, "systemFold"))
        inside.addWidget(self.composer)
        line = row()
        line.addStretch(1)
        line.addWidget(foot, 100)
        line.addStretch(1)
        layout.addLayout(line)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def show_server(self, *, ready: bool, model: str, answering: bool) -> None:
        self._model.setText(
            self.tr("Talking to {model}").format(model=model) if ready else self.tr("No server is running")
        )
        self._invitation.show_ready(ready, model)
        self.composer.show_state(ready=ready, answering=answering)

    def show_system(self, text: str) -> None:
        self._system.setPlainText(text)

    def add_question(self, text: str) -> None:
        self._messages.add(Question(text))
        self._middle.setCurrentWidget(self._messages)

    def add_answer(self, model: str) -> Answer:
        answer = Answer(model, self._language)
        answer.link_wanted.connect(self._ask_link)
        self._messages.add(answer)
        return answer

    def clear(self) -> None:
        self._messages.clear()
        self._middle.setCurrentWidget(self._invitation)
        self.banner.dismiss()

    def restyle(self) -> None:
        self._messages.restyle()

    def _system_edited(self) -> None:
        self.system_changed.emit(self._system.toPlainText())

    def _ask_link(self, url: QUrl) -> None:
        asking = Asking(
            self,
            name="linkDialog",
            heading=self.tr("Open this address in your browser?"),
            text=url.toDisplayString(),
            choices=(("open", self.tr("Open")), ("cancel", self.tr("Cancel"))),
        )
        asking.setProperty("url", url)
        asking.chosen.connect(self._link_answered)
        asking.open()

    def _link_answered(self, choice: str) -> None:
        if choice == "open":
            QDesktopServices.openUrl(self.sender().property("url"))


class Invitation(QWidget):
    """What to do first: launch a model, or ask it something."""

    launch_wanted = Signal()
    suggested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        picture = QLabel()
        set_icon(picture, "chat", QPalette.ColorRole.PlaceholderText)
        self._heading = heading()
        self._about = quiet()
        self._launch = button(self.tr("Choose and launch a model"), "goLaunchButton", kind="primary")
        self._launch.clicked.connect(self.launch_wanted)
        self._ideas = [
            button(text, f"suggestion{number}", kind="")
            for number, text in enumerate(
                (
                    self.tr("What is the capital of France?"),
                    self.tr("Explain unified memory in two sentences."),
                    self.tr("Write a short poem about the sea."),
                )
            )
        ]
        layout = column(self, spacing=STEP)
        layout.addStretch(2)
        middle = Qt.AlignmentFlag.AlignHCenter
        layout.addWidget(picture, 0, middle)
        for label in (self._heading, self._about):
            label.setAlignment(middle)
            layout.addWidget(label)
        layout.addSpacing(STEP)
        layout.addWidget(self._launch, 0, middle)
        for idea in self._ideas:
            idea.clicked.connect(self._suggest)
            layout.addWidget(idea, 0, middle)
        layout.addStretch(3)
        self.show_ready(False, "")

    def show_ready(self, ready: bool, model: str) -> None:
        if ready:
            self._heading.setText(self.tr("Ask {model} something").format(model=model))
            self._about.setText(self.tr("Nothing you write leaves this computer."))
        else:
            self._heading.setText(self.tr("No model is running yet"))
            self._about.setText(self.tr("Launch one first. Then you talk to it here."))
        self._launch.setVisible(not ready)
        for idea in self._ideas:
            idea.setVisible(ready)

    def _suggest(self) -> None:
        sender = self.sender()
        for idea in self._ideas:
            if idea is sender:
                self.suggested.emit(idea.text())
