import pytest
from example_files import write_files


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Returns the folder of a small file of each kind."""
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder
