# What every page of the guide begins with:  . docs/guide/setup.sh
# The API's address, the two headers that requests carry, and a way to take one field out of an answer.

B="${SLUICE_URL:-http://127.0.0.1:8787}/v1"
K="Authorization: Bearer ${SLUICE_KEY:-sl_local_dev}"
J="Content-Type: application/json"

# R=$(curl … | field id)
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }
