#!/usr/bin/env bash
# Uploads impacted targets in the same ways as the API's existing clients. Only API_URL differs from theirs.
#
#   API_URL      the address of setImpactedTargets
#   API_TOKEN    an API token; empty where a fork's workflow has none
#   RUN_ID       the workflow run that uploads
#   REPOSITORY   {"host": …, "owner": …, "name": …}
#   PR_NUMBER, PR_SHA
#
# Prints a line for each upload, with its name and the status of its answer.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# Clients write the number as a string, as a workflow has it.
body() {
  printf '{"repo":%s,"pr":{"number":"%s","sha":"%s"},"targetBranch":"main","impactedTargets":%s}' \
    "$REPOSITORY" "$PR_NUMBER" "$PR_SHA" "$1"
}

# upload WHAT BODY_FILE [CURL_OPTION…]: for the clients, only 200 is a success.
upload() {
  local what=$1 file=$2
  shift 2
  local status
  status=$(curl --silent --show-error --output "$directory/answer" --write-out '%{http_code}' \
    --request POST --header 'Content-Type: application/json' "$@" --data-binary "@$file" "$API_URL")
  echo "$what: $status"
  if [[ $status != 200 ]]; then
    cat "$directory/answer" >&2
    failed=1
  fi
}

failed=0
body '["//app:server","//app:client"]' >"$directory/some"
body '"ALL"' >"$directory/all"
body '"IMPACTS_ALL"' >"$directory/impacts-all"
body '[]' >"$directory/none"
{
  body ''
  echo
} | sed 's/}$//' >"$directory/many"
seq -f '"//some/package:target_%.0f"' 100000 | paste -sd, - | sed 's/^/[/; s/$/]}/' >>"$directory/many"

if [[ -n $API_TOKEN ]]; then
  # The Bazel action always names its run, whether it is for a fork or not.
  upload 'a list, with a token and a run' "$directory/some" -H "x-api-token:$API_TOKEN" -H "x-forked-workflow-run-id:$RUN_ID"
  upload 'ALL' "$directory/all" -H "x-api-token:$API_TOKEN"
  upload 'IMPACTS_ALL' "$directory/impacts-all" -H "x-api-token:$API_TOKEN" -H "x-source: nx"
  upload 'nothing' "$directory/none" -H "x-api-token:$API_TOKEN"
  upload '100,000 targets' "$directory/many" -H "x-api-token:$API_TOKEN"
else
  # curl drops a header that ends with a colon, and sends an empty one if it ends with a semicolon.
  upload 'a fork: the header dropped' "$directory/some" -H "x-api-token:" -H "x-forked-workflow-run-id:$RUN_ID"
  upload 'a fork: the header empty' "$directory/some" -H "x-api-token;" -H "x-forked-workflow-run-id:$RUN_ID"
  upload 'a fork: IMPACTS_ALL' "$directory/impacts-all" -H "x-api-token;" -H "x-forked-workflow-run-id:$RUN_ID"
  upload 'a fork: 100,000 targets' "$directory/many" -H "x-api-token;" -H "x-forked-workflow-run-id:$RUN_ID"
fi
exit "$failed"
