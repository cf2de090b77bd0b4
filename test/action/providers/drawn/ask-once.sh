#!/bin/sh
# Runs the real build tool, under the tool's own name, but asks it only once about the same files. A case asks
# about three commits, and many cases share them.
tool=$(basename "$0")
side=$(expr "$PWD" : '.*/trainyard-tree-[^/]*/\([a-z]*\)$')
# The exported files of a commit, or the checkout. The same commit can be another side in the next case.
tree=${PWD%/*}
[ -z "$side" ] && tree=none about=$(git rev-parse HEAD) || eval "about=\$TOOL_SHA_$side"
hide="s|$tree/$side|%FILES%|g; s|$tree|%TREE%|g"
show="s|%FILES%|$tree/$side|g; s|%TREE%|$tree|g"
question=$(echo "$about $*" | sed "$hide; s|--output_base=[^ ]*||" | sha1sum | cut -c1-40)
answer=$TOOL_ANSWERS/$question

run() {
  PATH=${PATH#*:}
  if [ "$tool" = bazel ]; then
    # One server answers all questions. It belongs to one directory, and ends when that is removed.
    workspace=$TOOL_ANSWERS/../bazel-workspace
    mkdir -p "$workspace"
    find "$workspace" -mindepth 1 -delete
    cp -r . "$workspace"
    cd "$workspace" || exit 1
    while [ "$1" != query ]; do shift; done
    bazel "--output_base=$workspace/../bazel-output" --max_idle_secs=60 "$@"
  elif [ -e "$TOOL_REAL/node_modules/.bin/$tool" ]; then
    ln -s "$TOOL_REAL/node_modules" node_modules
    "$TOOL_REAL/node_modules/.bin/$tool" "$@"
    code=$?
    rm node_modules
    return $code
  else
    "$tool" "$@"
  fi
}

if [ ! -e "$answer.code" ]; then
  (run "$@") >"$answer.out" 2>"$answer.err"
  code=$?
  [ -e "$tree/nx-graph.json" ] && mv "$tree/nx-graph.json" "$answer.file"
  sed -i "$hide" "$answer".[oef]*
  echo $code >"$answer.code"
fi
[ -e "$answer.file" ] && sed "$show" "$answer.file" >"$tree/nx-graph.json"
sed "$show" "$answer.err" >&2
sed "$show" "$answer.out"
exit "$(cat "$answer.code")"
