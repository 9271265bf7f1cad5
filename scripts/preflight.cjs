/*
 * Says what this machine lacks to run the local network, and what to do.
 *
 * Plain old JavaScript: it has to run, and to be understood, on whatever Node
 * is there. Silent and 0 when nothing is missing; else one message and 1.
 *
 * No types here, so nothing for the rules that need them.
 */
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return */
"use strict"

var fs = require("fs")
var path = require("path")

var root = path.resolve(__dirname, "..")

/** glibc's version, or undefined where the C library is another one. */
function glibcOf(report) {
  return report && report.header && report.header.glibcVersionRuntime
}

function systemReport() {
  if (!process.report || typeof process.report.getReport !== "function") return undefined
  process.report.excludeNetwork = true
  return process.report.getReport()
}

/** The packages of the programs that the local chains are, one for each machine that they are built for. */
function buildsFor(platform, arch) {
  var os = { linux: "linux", darwin: "darwin" }[platform]
  var processor = { x64: "amd64", arm64: "arm64" }[arch]
  if (os === undefined || processor === undefined) return undefined
  return {
    evm: "@foundry-rs/anvil-" + os + "-" + processor,
    solana: "litesvm-" + os + "-" + arch + (os === "linux" ? "-gnu" : "")
  }
}

function isTested(machine) {
  return machine.platform === "linux" && machine.arch === "x64"
}

/** What another machine than the tested one lacks. `version(name)`: of a development package. */
function missingBuilds(machine) {
  var here = machine.platform + " on " + machine.arch
  var builds = buildsFor(machine.platform, machine.arch)
  if (builds === undefined) {
    return [
      "This is " + here + ", for which the local chains (anvil, litesvm) are not built.\n" +
        "  -> Use Linux or macOS on x64 or arm64, or a container of it.\n" +
        "     The library and npx causeway need no local chain; they are not tested here."
    ]
  }
  var wanted = machine.solana ? [builds.evm, builds.solana] : [builds.evm]
  var missing = wanted.filter(function (name) {
    return !machine.has(name)
  })
  if (missing.length === 0) return []
  if (isTested(machine)) {
    return [
      "The programs of the local chains (" + missing.join(", ") + ") are not installed.\n" +
        "  -> npm ci (without --omit=dev and --omit=optional)"
    ]
  }
  return [
    "This is " + here + ". The lock file has the programs of the local chains for Linux x64 alone.\n" +
      "  -> npm install --no-save " +
      missing
        .map(function (name) {
          return name + "@" + machine.version(name === builds.evm ? "@foundry-rs/anvil" : "litesvm")
        })
        .join(" ") +
      "\n     npm verifies what it installs so against the registry alone, and may not find it there." +
      (missing.indexOf(builds.solana) < 0 ? "" : "\n     Without Solana: npm start -- --without-solana.") +
      "\n     Or use a Linux x64 machine, virtual machine or container (--platform linux/amd64, which emulates and is slow)."
  ]
}

/** What the tests say nothing about on this machine. Undefined on the one that they run on. */
function untested(machine) {
  return isTested(machine)
    ? undefined
    : "Untested on " +
        machine.platform +
        " " +
        machine.arch +
        ": the local chains (anvil, litesvm, bcoin), the services and their tests run on Linux x64 alone."
}

/**
 * What is missing, in the order in which it is to be repaired.
 * `machine`: platform, arch, node (a version), glibc (a version or undefined), has (is that module installed?),
 * version (of a development package), solana (is its chain wanted?).
 */
function complaints(machine) {
  var found = []
  var major = parseInt(machine.node.split(".")[0], 10)
  if (machine.platform === "linux" && major >= 20 && !machine.glibc) {
    found.push(
      "The C library of this Linux is not glibc (Alpine's is musl); the chain binary needs glibc.\n" +
        "  -> Use Debian, Ubuntu, Fedora or another distribution with glibc, for example the image node:24-slim."
    )
  }
  if (!machine.has("effect") || !machine.has("viem")) {
    found.push("The dependencies are not installed.\n  -> npm ci")
  } else {
    if (major < 24) {
      found.push(
        machine.platform === "linux"
          ? "Node " + machine.node + " runs this; Node 24 is needed, and comes with the dependencies (node-linux-" +
              machine.arch + ").\n  -> npm ci (without --omit=optional), and start by npm: npm start"
          : "Node " + machine.node + " runs this; Node 24 is needed, and comes with the dependencies on Linux alone.\n" +
              "  -> Install Node 24."
      )
    }
    found = found.concat(missingBuilds(machine))
  }
  if (major < 20) {
    found.push("Node " + machine.node + " is too old for npm to install this.\n  -> Install Node 20 or later with its npm, then npm ci")
  }
  return found
}

function installed(name) {
  return fs.existsSync(path.join(root, "node_modules", name, "package.json"))
}

function versionOf(name) {
  return JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")).devDependencies[name]
}

/** Ends the process where something is missing. `words`: the arguments of the program. */
function check(words) {
  var machine = {
    platform: process.platform,
    arch: process.arch,
    node: process.versions.node,
    glibc: process.platform === "linux" ? glibcOf(systemReport()) : undefined,
    has: installed,
    version: versionOf,
    solana: words.indexOf("--without-solana") < 0
  }
  var found = complaints(machine)
  if (found.length > 0) {
    console.error("Causeway cannot start here:\n\n- " + found.join("\n- "))
    process.exit(1)
  }
  var note = untested(machine)
  if (note !== undefined) console.error(note)
}

module.exports = { check: check, complaints: complaints, untested: untested }
// Run by itself, or before a program by `node --require`: one process, which npm then passes signals to.
if (require.main === module || process.execArgv.join(" ").indexOf("preflight.cjs") >= 0) check(process.argv.slice(2))
