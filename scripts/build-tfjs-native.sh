#!/usr/bin/env bash
# Builds TensorFlow.js's native binding against the TensorFlow of a Python environment, so that the native path runs without
# the download of libtensorflow 2.9 that the package's own install step makes.
#
#   python3 -m venv VENV && VENV/bin/pip install tensorflow-cpu
#   scripts/build-tfjs-native.sh VENV/bin/python FOLDER
#   MEMORYMARK_TFJS_NATIVE=FOLDER npx vitest run test/probes/tfjs
#
# FOLDER is made where it is missing; keep it outside the repository. Needs g++ and npm. Does nothing where the binding stands.
set -euo pipefail

if [ $# -ne 2 ]; then
  echo "usage: $0 PYTHON FOLDER" >&2
  exit 2
fi
python=$1
folder=$2
version=4.22.0
# Node-API is stable across Node's versions; 8 is the newest that this package's loader looks for.
napi=8

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
package="$folder/node_modules/@tensorflow/tfjs-node"
binding="$package/lib/napi-v$napi/tfjs_binding.node"
if [ -f "$binding" ]; then
  exit 0
fi

[ -f "$folder/package.json" ] || echo '{ "private": true }' > "$folder/package.json"
npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --save-exact \
  "@tensorflow/tfjs-node@$version" node-api-headers@1 >&2

tensorflow=$("$python" -c 'import importlib.util; print(importlib.util.find_spec("tensorflow").submodule_search_locations[0])')
libraries="$package/deps/lib"
mkdir -p "$libraries" "$(dirname "$binding")"
# Python's package has the C API in libtensorflow_cc; the binding asks for it by the C package's name.
ln -sf "$tensorflow/libtensorflow_cc.so.2" "$libraries/libtensorflow_cc.so.2"
ln -sf libtensorflow_cc.so.2 "$libraries/libtensorflow.so.2"
ln -sf "$tensorflow/libtensorflow_framework.so.2" "$libraries/libtensorflow_framework.so.2"

g++ -O2 -std=c++17 -fPIC -shared -DNAPI_VERSION=$napi -DBUILDING_NODE_EXTENSION \
  -I"$package" -I"$tensorflow/include" -I"$folder/node_modules/node-api-headers/include" \
  "$package"/binding/*.cc \
  -L"$libraries" -l:libtensorflow.so.2 -l:libtensorflow_framework.so.2 \
  -Wl,-rpath,"$tensorflow" -Wl,-rpath,"\$ORIGIN/../../deps/lib" \
  -o "$binding.part"
mv "$binding.part" "$binding"
