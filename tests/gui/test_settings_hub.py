"""The Hub's part of the Settings page: what is typed there counts at once, and who is signed in is said."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit

from gui.widgets.banner import Banner
from tests.fakes.fake_hub import FakeHub
from tests.gui.conftest import Windows
from tests.gui.hub_window import TINY, HubWindow, add_tiny, hub_window
from tests.support.hub import running_hub
from tests.support.hub_cache import checkpoint_files, snapshot_download


def enter(at: HubWindow, setting: str, text: str) -> None:
    box = at.window.find(QLineEdit, f"{setting}Field")
    box.selectAll()
    at.window.bot.keyClicks(box, text)
    at.window.bot.keyClick(box, Qt.Key.Key_Return)


def test_another_address_counts_for_the_next_search(windows: Windows, tmp_path: Path) -> None:
    with running_hub() as mirror, hub_window(windows, lambda hub: None) as at:
        add_tiny(mirror, tmp_path)
        at.window.go("settings")
        enter(at, "hub_endpoint", mirror.url)
        services = at.window.app.services
        assert services is not None
        at.until(lambda: services.settings.current.hub_endpoint == mirror.url)
        at.open_hub()
        assert at.names == [TINY]
        assert at.hub.log.all() == []


def test_what_cannot_be_used_is_refused_where_it_is_typed(windows: Windows, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    wrong = (
        ("hub_endpoint", "nonsense::::", "The address of the Hub is not usable"),
        ("hub_proxy", "socks5://localhost:1080", "proxy"),
        ("hub_ca_bundle", str(tmp_path / "nothing.pem"), "nothing.pem"),
        ("hub_cache", str(tmp_path / "file"), "cannot be written"),
    )
    with hub_window(windows, lambda hub: None) as at:
        services = at.window.app.services
        assert services is not None
        before = services.settings.current
        at.window.go("settings")
        for setting, text, said in wrong:
            enter(at, setting, text)
            at.until(lambda said=said: said in at.window.find(Banner, "errorBanner").text())
            assert services.settings.current == before
            assert at.window.find(QLineEdit, f"{setting}Field").text() == getattr(before, setting)


def test_another_cache_folder_is_looked_at_at_once(windows: Windows, tmp_path: Path) -> None:
    def fill(hub: FakeHub) -> None:
        hub.add(TINY, checkpoint_files())
        snapshot_download(TINY, hub=hub, cache=tmp_path / "other")

    with hub_window(windows, fill) as at:
        at.open_local()
        at.window.go("settings")
        enter(at, "hub_cache", str(tmp_path / "other"))
        at.window.go("models")
        at.until(lambda: at.window.sees(f"launch-{TINY}"))


def test_offline_and_the_limit_are_kept(windows: Windows) -> None:
    with hub_window(windows, lambda hub: None) as at:
        services = at.window.app.services
        assert services is not None
        at.window.go("settings")
        at.window.find(QCheckBox, "hubOffline").click()
        at.until(lambda: services.settings.current.hub_offline)
        box = at.window.find(QComboBox, "hubSpeedLimit")
        box.setCurrentIndex(box.findData(5_000_000))
        box.activated.emit(box.currentIndex())
        at.until(lambda: services.settings.current.download_limit_bytes_per_s == 5_000_000)
        at.window.go("models")
        at.window.press("downloadsButton")
        assert at.window.find(QComboBox, "speedLimit").currentData() == 5_000_000


def test_a_token_is_checked_kept_for_the_user_alone_and_forgotten(windows: Windows) -> None:
    def fill(hub: FakeHub) -> None:
        hub.users["hf_mine"] = "ada"

    with hub_window(windows, fill) as at:
        file = Path(os.environ["HF_HOME"]) / "token"
        at.window.go("settings")
        assert at.window.text("accountState") == "Not signed in."
        field = at.window.find(QLineEdit, "accountToken")
        field.setText("hf_wrong")
        at.window.press("accountTokenSave")
        at.until(lambda: at.window.sees("accountTokenProblem"))
        assert field.text() == ""
        assert not file.exists()
        field.setText(" hf_mine\n")
        at.window.press("accountTokenSave")
        at.until(lambda: "ada" in at.window.text("accountState"))
        assert file.read_text().strip() == "hf_mine"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        at.window.press("signOut")
        at.until(lambda: at.window.text("accountState") == "Not signed in.")
        assert not file.exists()
