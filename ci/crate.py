"""The RO-Crate 1.2 of a release (ci/release): a description, for programs, of its files, of where the profiles, pipelines and
traces in the sources come from, and of the commands that made the results."""

import hashlib
import mimetypes
import tomllib

METADATA = "ro-crate-metadata.json"
LICENCE = "https://spdx.org/licenses/Apache-2.0"
AUTHORS = "#authors"
BY_REPRODUCTION = ("cv", "variants", "claims")  # tables, without an experiment of that name
TYPES = {".h5": "application/x-hdf5", ".gz": "application/gzip", ".md": "text/markdown"}


def sha256_of(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def reference(name):
    return {"@id": name}


def file_entity(folder, path, **more):
    """A File of the crate; `path` lies in `folder`."""
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return {"@id": path.relative_to(folder).as_posix(), "@type": "File", "name": path.name, "encodingFormat": kind,
            "contentSize": str(path.stat().st_size), "sha256": sha256_of(path)} | more


def read_toml(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def data_of(sources):
    """Entities for what the experiments take as given: recorded traces, which are not among the sources, profiles and pipelines."""
    for trace in read_toml(sources / "workloads/traces/SOURCES.toml")["trace"]:
        yield {"@id": f"#trace-{trace['name']}", "@type": "CreativeWork", "name": f"recorded trace {trace['name']}",
               "description": trace["description"] + "; not part of this crate", "license": trace["licence"], "sha256": trace["sha256"],
               "identifier": f"{trace['repository']}, commit {trace['commit']}, {trace['path']}"}
    for kind in ("profiles", "pipelines"):
        for path in sorted((sources / "workloads" / kind).glob("*.toml")):
            table = read_toml(path)
            origin = {"isBasedOn": table["source"]} if "source" in table else {}
            yield {"@id": f"#{kind}-{path.stem}", "@type": "CreativeWork", "name": f"workloads/{kind}/{path.name} in the sources",
                   "description": table.get("description", ""), "license": reference(LICENCE)} | origin


def command_of(sources, path):
    """What made a file of results: an experiment or a fit of the sources, ci/reproduction, or "" where that is not known. Of two experiments of one name it
    is that of the paper for which a folder of the results is named."""
    found = sorted((sources / "experiments").rglob(f"{path.stem}.toml"), key=lambda each: each.parent.name not in path.parts)
    if not found or path.suffix != ".h5":
        return "ci/reproduction" if path.stem in BY_REPRODUCTION or "figures" in path.parts else ""
    experiment, suite = found[0].relative_to(sources).as_posix(), found[0].with_name("all.toml")
    if "knob" in read_toml(found[0]):
        return f"harness fit {experiment}"
    return f"harness {experiment}" if not suite.exists() or found[0].name in read_toml(suite)["suite"] else "ci/reproduction"


def actions(archive, made):
    """A CreateAction for each command; `made` has the names of the files by command."""
    for number, (command, names) in enumerate(sorted(made.items()), 1):
        yield {"@id": f"#command-{number}", "@type": "CreateAction", "name": command, "description": command,
               "instrument": reference(archive), "result": [reference(name) for name in names]}


def crate(folder, sources, archive, version, commit, date):
    """The metadata of the files in `folder`, one of which is `archive`, made of the tree `sources`."""
    entities, made = [], {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in (METADATA, "SHA256SUMS")):
        if path == archive:
            entities.append(file_entity(folder, path, **{"@type": ["File", "SoftwareSourceCode"]}, name=f"sources of harness {version}",
                                        version=version, identifier=f"commit {commit}"))
            continue
        command = "ci/release" if path.stem == "costs" else command_of(sources, path)
        entities.append(file_entity(folder, path, **({"description": f"made by {command}"} if command else {})))
        if command:
            made.setdefault(command, []).append(entities[-1]["@id"])
    data, commands = list(data_of(sources)), list(actions(archive.name, made))
    root = {"@id": "./", "@type": "Dataset", "name": f"harness {version}", "datePublished": date, "version": version,
            "description": "harness, a benchmark harness and reproducibility suite for inference-serving systems: its sources"
                           + (", and results of the evaluations that it reruns" if made else ""),
            "license": reference(LICENCE), "author": reference(AUTHORS), "hasPart": [reference(entity["@id"]) for entity in entities],
            "mentions": [reference(entity["@id"]) for entity in data + commands]}
    return {"@context": "https://w3id.org/ro/crate/1.2/context", "@graph": [
        {"@id": METADATA, "@type": "CreativeWork", "conformsTo": reference("https://w3id.org/ro/crate/1.2"), "about": reference("./")},
        root, {"@id": AUTHORS, "@type": "Organization", "name": "The harness authors"},
        {"@id": LICENCE, "@type": "CreativeWork", "name": "Apache License 2.0", "identifier": "Apache-2.0"},
        *entities, *data, *commands]}
