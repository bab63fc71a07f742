"""Folders that look like the control groups of a machine, of version 1 and 2."""

VERSION_1 = "30 25 0:26 {top} {mount} rw,nosuid - cgroup cgroup rw,{controller}"
VERSION_2 = "31 25 0:27 {top} {mount} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"


def write(root, files):
    """Writes files, by their paths below the root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def version_2(root, files, group="/", top="/"):
    """Makes a machine with the unified hierarchy, whose process is in `group`."""
    mount = VERSION_2.format(top=top, mount="/sys/fs/cgroup")
    write(root, {"proc/self/cgroup": f"0::{group}", "proc/self/mountinfo": mount})
    write(root / "sys/fs/cgroup", files)
    return root


def version_1(root, controller, files, group="/", top="/"):
    """Makes a machine with the hierarchy of one controller, whose process is in `group`."""
    mount = VERSION_1.format(top=top, mount=f"/sys/fs/cgroup/{controller}", controller=controller)
    membership = f"4:{controller}:{group}\n1:name=systemd:/\n0::/"
    write(root, {"proc/self/cgroup": membership, "proc/self/mountinfo": mount})
    write(root / "sys/fs/cgroup" / controller, files)
    return root
