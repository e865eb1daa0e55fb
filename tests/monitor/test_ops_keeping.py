"""What the service's keeper knows of its data folder, whoever did it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from veedor.monitor.ops.keeping import Keeper
from veedor.monitor.retention import RetentionPolicy
from veedor.monitor.store import Store

# A table's process or the pages': finds the index damaged and puts it aside.
OTHER = """
import sys
from pathlib import Path
from veedor.monitor.store import Store
with Store.of_data(Path(sys.argv[1]), alarm=print) as store:
    store.sessions()
"""


def test_an_index_that_another_process_put_aside_is_counted(tmp_path: Path) -> None:
    index = tmp_path / "store.sqlite"
    index.write_bytes(b"garbage " * 999)
    with Store.of_data(tmp_path, alarm=print) as store:
        store.sessions()
    keeper = Keeper(tmp_path, RetentionPolicy())
    assert keeper.put_aside == 0  # what was before the service began
    for times in (1, 2):
        index.write_bytes(b"garbage " * 999)
        told = subprocess.run([sys.executable, "-c", OTHER, str(tmp_path)], check=True, capture_output=True)
        assert b"store.sqlite.damaged-" in told.stdout
        assert keeper.put_aside == times
