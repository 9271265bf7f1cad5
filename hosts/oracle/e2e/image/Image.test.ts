/** The oracle's Dockerfile is executed exactly as written, or refused. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { readDockerfile } from "./testing/Image.ts"

const oracle = join(import.meta.dirname, "../..")
const ours = readFileSync(join(oracle, "Dockerfile"), "utf8")

const repository = join(oracle, "../..")

/** The modules that a module loads by static and dynamic imports; types do not exist at run time. */
const reached = (module: string, known = new Set<string>()): ReadonlySet<string> => {
  if (known.has(module)) return known
  known.add(module)
  const text = readFileSync(join(repository, module), "utf8")
  for (const [, path = ""] of text.matchAll(/(?:^(?:import|export) (?!type )[^"]*?|import\()"(\.[^"]+)"/gm)) {
    reached(relative(repository, join(repository, dirname(module), path)), known)
  }
  return known
}

describe("the oracle's Dockerfile", () => {
  it("ends as a user other than root, with the program itself as entrypoint", () => {
    const { entrypoint, gid, uid } = readDockerfile(ours)
    assert.deepStrictEqual([uid, gid, entrypoint], ["65534", "65534", "./hosts/oracle/entrypoint.sh"])
    assert.isAbove(statSync(join(oracle, "entrypoint.sh")).mode & 0o111, 0)
  })

  it("copies every module that the oracle's program loads", () => {
    const copied = readDockerfile(ours).steps.flatMap((step) => "copied" in step ? step.copied : [])
    const modules = [...reached("hosts/oracle/main.ts")]
    assert.isAbove(modules.length, 300)
    assert.deepStrictEqual(
      modules.filter((module) => !copied.some((path) => module === path || module.startsWith(`${path}/`))),
      []
    )
  })

  it("is refused with a line of an unknown form, which is named", () => {
    for (
      const line of [
        "ADD . .",
        "RUN --mount=type=secret true",
        "RUN [\"a\"]",
        "COPY --chown=1:1 a b",
        "COPY --from=other a b",
        "COPY *.ts b",
        "COPY a",
        "ENV A=$B",
        "ENV A B",
        "USER nobody",
        "USER 1",
        "ENTRYPOINT run",
        "ENTRYPOINT [1]",
        "STOPSIGNAL SIGKILL",
        "CMD [\"a\"]",
        "VOLUME /data",
        "RUN a && \\",
        "run true",
        "FROM node:9-slim"
      ]
    ) {
      assert.throws(() => readDockerfile(`${ours}${line}\n`), line)
    }
  })

  it("is refused when it would run as root, or run nothing", () => {
    for (const line of ["USER 65534:65534\n", "ENTRYPOINT [\"./hosts/oracle/entrypoint.sh\"]\n"]) {
      assert.include(ours, line)
      assert.throws(() => readDockerfile(ours.replace(line, "")), /as root, or nothing/)
    }
    assert.throws(() => readDockerfile(`${ours}USER 0:0\n`), /as root/)
  })
})
