/**
 * Joins the modules of each host, with effect's and undici's, to a few files in the cache beside the dependencies: Node
 * spends half of a host's start on finding and linking some 1,400 modules. `scripts/compile-cache.cjs` starts the joined
 * files in place of the sources, as long as every source and package is the one that was joined.
 *
 * Other packages are not joined: some bring native code or files of their own, and most are loaded late.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { build } from "rolldown"

/** Programs, by the names of their joined files. `compile-cache.cjs` knows them by the list beside the files. */
const PROGRAMS: Readonly<Record<string, string>> = {
  transfer: "hosts/transfer/main.ts",
  worker: "hosts/transfer/worker.ts",
  oracle: "hosts/oracle/main.ts"
}

/** With the helpers that rolldown adds where sources use a new language feature. */
const JOINED = /^(?:effect|@effect\/[^/]+|undici|@oxc-project\/runtime)(?:\/|$)/

const isPackage = (specifier: string): boolean => /^[a-z@]/.test(specifier)

/** From the joined files to the root. */
const TO_ROOT = "../../.."

/** Sources find files beside them by their URL, which the joined file's is not. */
const keepUrls = (root: string) => ({
  name: "urls of sources",
  transform: (code: string, id: string) => {
    if (id.includes("/node_modules/") || !code.includes("import.meta.")) return null
    const other = /import\.meta\.(?!url\b)\w+/.exec(code)?.[0]
    if (other !== undefined) throw new Error(`${id}: ${other} would be that of the joined file: use import.meta.url`)
    const url = `new URL(${JSON.stringify(`${TO_ROOT}/${relative(root, id)}`)}, import.meta.url).href`
    return code.replaceAll("import.meta.url", url)
  }
})

const versionOf = (root: string, name: string): string => {
  const said: unknown = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"))
  return typeof said === "object" && said !== null && "version" in said ? String(said.version) : ""
}

const packageOf = (file: string): string | undefined =>
  /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(file)?.[1]

/** Joins what is in this root, in place of what was joined before. */
export const joinHosts = async (root: string): Promise<void> => {
  const folder = join(root, "node_modules/.cache/hosts")
  rmSync(folder, { recursive: true, force: true })
  const { output } = await build({
    cwd: root,
    input: PROGRAMS,
    platform: "node",
    transform: { target: "esnext" },
    external: (id) => isPackage(id) && !JOINED.test(id),
    plugins: [keepUrls(root)],
    output: { dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
    logLevel: "silent"
  })
  const modules = output.flatMap((file) => file.type === "chunk" ? file.moduleIds : [])
  const files = [...new Set(modules.filter((id) => id.startsWith(root)).map((id) => relative(root, id)))]
  const packages = [...new Set(modules.flatMap((id) => packageOf(id) ?? []))]
  const sources = files.filter((file) => packageOf(file) === undefined)
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "joined.json"),
    JSON.stringify({
      programs: Object.fromEntries(Object.entries(PROGRAMS).map(([name, path]) => [path, `${name}.mjs`])),
      sources,
      fingerprint: sources.reduce(
        (hash, path) => hash.update(path).update(readFileSync(join(root, path))),
        createHash("sha256")
      )
        .digest("hex"),
      packages: packages.map((name) => [name, versionOf(root, name)])
    })
  )
}
