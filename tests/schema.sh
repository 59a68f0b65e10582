# schema.sh - whether a report is as docs/report.schema.json says; read with ".", after tap.sh

# The first Python that has the package jsonschema (Debian: python3-jsonschema).
schema_python=
for schema_candidate in /usr/bin/python3 python3; do
    [ -n "$schema_python" ] || ! "$schema_candidate" -c 'import jsonschema' 2>/dev/null ||
        schema_python=$schema_candidate
done

can_validate() {
    [ -n "$schema_python" ]
}

# validate FILE ...: succeeds if the files are as the schema says. Otherwise it shows why not.
# shellcheck disable=SC2154 # from tap.sh
validate() {
    "$schema_python" -c 'import json, sys, jsonschema
schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(schema)
for name in sys.argv[2:]:
    jsonschema.Draft7Validator(schema).validate(json.load(open(name, encoding="utf-8")))' \
        "$top_srcdir/docs/report.schema.json" "$@" >"$scratch/why" 2>&1 && return
    show "$scratch/why"
    return 1
}
