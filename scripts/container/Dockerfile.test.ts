/** A Dockerfile is performed as it says, or not at all; ours is read from where an engine reads it. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "./Build.ts"
import { parseDockerfile } from "./Dockerfile.ts"

const root = join(import.meta.dirname, "../..")
const ours = readFileSync(join(root, "hosts/oracle/Dockerfile"), "utf8")

describe("a Dockerfile", () => {
  it("of ours ends as a user that is not root, with the entrypoint as a program of its own", () => {
    const stages = parseDockerfile(ours)
    const image = stages.at(-1)
    assert.deepStrictEqual([image?.user, image?.entrypoint], [{ uid: 65534, gid: 65534 }, [
      "./hosts/oracle/entrypoint.sh"
    ]])
    assert.isAbove(statSync(join(root, "hosts/oracle/entrypoint.sh")).mode & 0o111, 0)
    for (const { image } of stages) assert.strictEqual(image, "node:24-slim")
    // Only the last stage is kept, and it has nothing but what the one before it was left with.
    assert.deepStrictEqual(image?.steps.map(({ _tag }) => _tag), ["Env", "Workdir", "Copy"])
  })

  it("with a line that is not understood is refused, and names it", () => {
    for (
      const line of [
        "ADD . .",
        "RUN --mount=type=secret true",
        "RUN [\"a\"]",
        "COPY --chown=1:1 a b",
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
        "whatever"
      ]
    ) {
      assert.throws(() => parseDockerfile(`FROM node:24-slim\n${line}`), /is not understood/, line)
    }
    assert.throws(() => parseDockerfile("COPY a b\nFROM node:24-slim"), /COPY a b/)
  })

  it("is performed as an engine would: stages, folders, files, commands, environment; never as root", () => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-dockerfile-"))
    const perform = (contents: string) => build(parseDockerfile(contents), join(root, "configs"), folder)
    const major = process.versions.node.split(".")[0]
    try {
      const built = perform([
        `FROM node:${major}-slim AS first`,
        "WORKDIR /app",
        "ENV WORD=said",
        "COPY chains.local.json ./",
        "COPY . all",
        "RUN mkdir made && echo $WORD > made/word",
        `FROM node:${major}-slim`,
        "WORKDIR /app",
        "COPY --from=first /app /app",
        "ENV A=1 B=2",
        "USER 1:2",
        "ENTRYPOINT [\"./made/word\"]"
      ].join("\n"))
      assert.strictEqual(readFileSync(join(built.workdir, "made/word"), "utf8"), "said\n")
      for (const path of ["chains.local.json", "all/chains.local.json", "all/chains.hub.local.json"]) {
        assert.isTrue(existsSync(join(built.workdir, path)), path)
      }
      assert.deepStrictEqual([built.environment, built.user, built.entrypoint], [
        { A: "1", B: "2" },
        { uid: 1, gid: 2 },
        ["./made/word"]
      ])
      assert.throws(() => perform(`FROM node:${major}-slim\nWORKDIR /app`), /as root/)
      assert.throws(() => perform(`FROM node:${major}-slim\nRUN false\nUSER 1:1`), /ended with 1/)
      assert.throws(() => perform("FROM node:9-slim\nUSER 1:1"), /cannot stand for Node/)
      assert.throws(() => perform(`FROM node:${major}-slim\nCOPY --from=none a b\nUSER 1:1`), /no stage before it/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
