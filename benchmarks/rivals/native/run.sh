#!/usr/bin/env bash
# Builds and runs native programs that do the work of works.ts; prints one JSON object a line. Usage: run.sh [java|tbb|rayon|ips4o|vqsort]...
# Where a compiler or a library is missing, it says so in a line of its own: {"system":"java","missing":"javac (Debian: default-jdk-headless)"}
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${ANCHORS_OUT:-$here/../../../.build/rivals/native}
mkdir -p "$out"
missing() { printf '{"system":"%s","missing":"%s"}\n' "$1" "$2"; }
version() { printf '{"system":"%s","version":"%s"}\n' "$1" "$("${@:2}" 2>&1 | head -1 | tr -d '"\\')"; }
has() { command -v "$1" >/dev/null; }
# has_header HEADER: is there a library that C++ programs include by this name?
has_header() { echo "#include <$1>" | g++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null; }
cxx() { [ "$out/$1" -nt "$here/$1.cpp" ] || g++ -O3 -march=native -std=c++20 "$here/$1.cpp" -o "$out/$1" "${@:2}" >&2; }
run_cxx() { # SYSTEM HEADER PACKAGE FLAGS...
  has g++ || { missing "$1" "g++ (Debian: g++)"; return; }
  has_header "$2" || { missing "$1" "$2 (Debian: $3)"; return; }
  cxx "$1" "${@:4}" || { missing "$1" "a build that succeeds"; return; }
  version "$1" g++ --version
  "$out/$1"
}
for system in "${@:-java tbb rayon ips4o vqsort}"; do for s in $system; do
  case $s in
    java)
      has javac || { missing java "javac (Debian: default-jdk-headless)"; continue; }
      [ "$out/Anchors.class" -nt "$here/Anchors.java" ] || javac -d "$out" "$here/Anchors.java" >&2
      version java java -version
      java -Xmx8g -Djava.util.concurrent.ForkJoinPool.common.parallelism=2 -cp "$out" Anchors ;;
    rayon)
      has cargo || { missing rayon "cargo (Debian: cargo)"; continue; }
      cp -r "$here/rayon" "$out/"
      # Debian's crates, which are there without a network, or else the registry of crates.
      (cd "$out/rayon" && { cargo build --release --offline -q || cargo build --release -q; } >&2) ||
        { missing rayon "the crate rayon (Debian: librust-rayon-dev)"; continue; }
      version rayon rustc --version
      "$out/rayon/target/release/anchors" ;;
    tbb) run_cxx tbb tbb/tbb.h libtbb-dev -ltbb ;;
    ips4o) run_cxx ips4o ips4o.hpp "libips4o-dev libtbb-dev" -fopenmp -ltbb -latomic ;;
    vqsort) run_cxx vqsort hwy/contrib/sort/vqsort.h libhwy-dev -lhwy_contrib -lhwy ;;
    *) echo "run.sh: no such system: $s" >&2; exit 2 ;;
  esac
done; done
