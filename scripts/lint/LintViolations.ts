/**
 * What the linter must catch: one small violation for every line of the architecture and of the house rules, with the
 * rule that must catch it. Beside them stand examples of allowed code, so that a linter that refuses everything fails
 * too. The `*` in a path is a new folder for each run.
 */
export type LintViolation = {
  /** The line of architecture.md or of the house rules that this violates. */
  readonly line: string
  /** A folder, or a file with this name, where `A.test.ts` means any test; `*` is the folder of this run. */
  readonly path: string
  readonly code: string
  /** The rule that must report it; `nothing` for allowed code. */
  readonly rule: string
}

const layers = "causeway(layers)"
const globals = "eslint(no-restricted-globals)"
const properties = "eslint(no-restricted-properties)"

const imports = (specifier: string): string => `import { X } from "${specifier}"\nexport const x = X\n`

const forbidden: ReadonlyArray<readonly [line: string, path: string, code: string]> = [
  ["the domain knows no port", "src/domain/*", imports("../../../ports/X.ts")],
  [
    "the domain knows no port, not even its type",
    "src/domain/*",
    "import type { X } from \"../../../ports/X.ts\"\nexport type Y = X\n"
  ],
  [
    "the domain knows no port, not even in a type expression",
    "src/domain/*",
    "export type Y = import(\"../../../ports/X.ts\").X\n"
  ],
  ["the domain hands no port on", "src/domain/*", "export * from \"../../../ports/X.ts\"\n"],
  ["the domain hands no name of a port on", "src/domain/*", "export { X } from \"../../../ports/X.ts\"\n"],
  ["the domain knows no service", "src/domain/*", imports("../../services/X.ts")],
  ["the domain knows no adapter", "src/domain/*", imports("../../../adapters/ethereum/X.ts")],
  ["the domain knows no host", "src/domain/*", imports("../../../hosts/transfer/X.ts")],
  ["the domain knows no configuration", "src/domain/*", imports("../../../configs/chains.local.json")],
  ["the domain knows no law", "src/domain/*", imports("../../../property-tests/X.ts")],
  ["the domain does not go around by a path of its own", "src/domain/*", imports("../../../src/../ports/X.ts")],
  ["the domain does not go through the public entry", "src/domain/*", imports("../../index.ts")],
  ["the domain imports statically", "src/domain/*", "export const x = () => import(\"../money/Amount.ts\")\n"],
  [
    "the domain uses nothing of Node",
    "src/domain/*",
    "import { readFileSync } from \"node:fs\"\nexport const x = readFileSync\n"
  ],
  [
    "the domain opens no socket: no viem client",
    "src/domain/*",
    "import { createPublicClient } from \"viem\"\nexport const x = createPublicClient\n"
  ],
  [
    "the domain opens no socket: no viem transport",
    "src/domain/*",
    "import { http } from \"viem\"\nexport const x = http\n"
  ],
  ["the domain takes viem by the name", "src/domain/*", "import * as viem from \"viem\"\nexport const x = viem\n"],
  ["the domain runs no effect", "src/domain/*", "import { Effect } from \"effect\"\nexport const x = Effect.void\n"],
  [
    "the domain runs no effect, by the module either",
    "src/domain/*",
    "import * as Effect from \"effect/Effect\"\nexport const x = Effect.void\n"
  ],
  [
    "the domain reads no clock of effect's",
    "src/domain/*",
    "import { Clock } from \"effect\"\nexport const x = Clock.currentTimeMillis\n"
  ],
  ["the domain uses listed packages only", "src/domain/*", imports("@solana/kit")],
  ["the domain uses no test support", "src/domain/*", imports("./testing/X.ts")],
  ["a port knows no service", "ports/*", imports("../../src/services/X.ts")],
  ["a port knows no adapter", "ports/*", imports("../../adapters/storage/X.ts")],
  ["a port knows no host", "ports/*", imports("../../hosts/oracle/X.ts")],
  [
    "a port is in the domain's words",
    "ports/*",
    "import type { PublicClient } from \"viem\"\nexport type X = PublicClient\n"
  ],
  ["a port uses nothing of Node", "ports/*", "import type { Socket } from \"node:net\"\nexport type X = Socket\n"],
  ["a service knows no adapter", "src/services/*", imports("../../../adapters/ethereum/X.ts")],
  [
    "a service knows no adapter, not even late",
    "src/services/*",
    "export const x = () => import(\"../../../adapters/ethereum/X.ts\")\n"
  ],
  ["a service knows no host", "src/services/*", imports("../../../hosts/transfer/X.ts")],
  [
    "a service uses nothing of Node",
    "src/services/*",
    "import { createHash } from \"node:crypto\"\nexport const x = createHash\n"
  ],
  [
    "a service uses no client of a chain",
    "src/services/*",
    "import { createPublicClient } from \"viem\"\nexport const x = createPublicClient\n"
  ],
  ["a service uses no SQL", "src/services/*", "import { SqlClient } from \"effect/sql\"\nexport const x = SqlClient\n"],
  [
    "a service makes no request",
    "src/services/*",
    "import { HttpClient } from \"effect/http\"\nexport const x = HttpClient\n"
  ],
  ["the domain asks no family by name", "src/domain/hub/*", imports("../../families/solana/X.ts")],
  ["a service asks no family by name", "src/services/*", imports("../../domain/families/bitcoin/X.ts")],
  ["a port asks no family by name", "ports/chain/*", imports("../../../src/domain/families/tron/X.ts")],
  ["an adapter knows no service", "adapters/*", imports("../../src/services/X.ts")],
  ["an adapter knows no host", "adapters/*", imports("../../hosts/transfer/X.ts")],
  ["an adapter does not go through the public entry", "adapters/*", imports("../../src/index.ts")],
  ["an adapter does not go through the package's name", "adapters/*", imports("causeway-kit")],
  ["a family knows no other family", "adapters/*", imports("../ethereum/X.ts")],
  ["a family knows no other family, from below", "adapters/*/decode", imports("../../ethereum/decode/X.ts")],
  [
    "a family knows no other family, not even late",
    "adapters/*",
    "export const x = () => import(\"../ethereum/X.ts\")\n"
  ],
  ["hearing a quorum knows no family", "adapters/quorum/*", imports("../../ethereum/X.ts")],
  ["asking endpoints in rotation knows no family", "adapters/endpoints/*", imports("../../solana/X.ts")],
  [
    "an adapter computes no import",
    "adapters/*",
    "export const x = (name: string): Promise<unknown> => import(name)\n"
  ],
  ["an adapter uses no test support", "adapters/*", imports("./testing/X.ts")],
  ["what a family is to the hosts knows no family", "adapters/family/*", imports("../../solana/X.ts")],
  ["a host is given its families", "hosts/*", imports("../../adapters/solana/Family.ts")],
  [
    "a host is given its families, not even late",
    "hosts/transfer/*",
    "export const x = () => import(\"../../../adapters/ethereum/X.ts\")\n"
  ],
  ["the transfer service knows nothing of the oracle", "hosts/transfer/*", imports("../../oracle/X.ts")],
  ["the oracle knows nothing of the transfer service", "hosts/oracle/*", imports("../../transfer/X.ts")],
  ["a host knows no law", "hosts/*", imports("../../property-tests/X.ts")],
  ["a host knows no example", "hosts/*", imports("../../examples/ledger-vm/X.ts")],
  ["a host knows no workshop", "hosts/*", imports("../../scripts/X.ts")],
  ["an example goes through the package's name", "examples/*", imports("../../src/index.ts")],
  ["an example reaches into no family's adapter", "examples/*", imports("../../adapters/ethereum/Family.ts")],
  ["an example runs no test", "examples/*", "import { it } from \"@effect/vitest\"\nexport const x = it\n"],
  ["a host runs without a test runner", "hosts/*", "import { it } from \"vitest\"\nexport const x = it\n"],
  ["a law knows no adapter", "property-tests/*", imports("../../adapters/ethereum/X.ts")],
  ["a law knows no host", "property-tests/*", imports("../../hosts/transfer/X.ts")],
  [
    "an exported law knows no test runner",
    "property-tests/*",
    "import { it } from \"@effect/vitest\"\nexport const x = it\n"
  ],
  [
    "an exported law uses nothing of Node",
    "property-tests/*",
    "import { readFileSync } from \"node:fs\"\nexport const x = readFileSync\n"
  ],
  ["a test of the domain knows no adapter", "src/domain/*/A.test.ts", imports("../../../adapters/ethereum/X.ts")],
  [
    "a test of a service knows an adapter's test support only",
    "src/services/*/A.test.ts",
    imports("../../../adapters/storage/X.ts")
  ],
  [
    "a test of an adapter knows no host but the local chains",
    "adapters/*/A.test.ts",
    imports("../../hosts/transfer/X.ts")
  ],
  ["a test of an adapter knows no service", "adapters/*/A.test.ts", imports("../../src/services/X.ts")]
]

const core: ReadonlyArray<string> = ["src/domain/*", "src/services/*", "ports/*"]

const ambient: ReadonlyArray<readonly [line: string, code: string, rule: string]> = [
  ["reads no environment", "export const x = process.env[\"HOME\"]\n", globals],
  ["opens no connection", "export const x = () => fetch(\"http://127.0.0.1\")\n", globals],
  ["opens no connection by another name", "export const x = () => globalThis.fetch(\"http://127.0.0.1\")\n", globals],
  ["waits for no timer", "export const x = () => setTimeout(() => undefined, 1)\n", globals],
  ["writes to no console", "export const x = () => console.log(1)\n", globals],
  ["takes no randomness from the platform", "export const x = () => crypto.randomUUID()\n", globals],
  ["reads no high-resolution clock", "export const x = () => performance.now()\n", globals],
  ["reads no clock", "export const x = () => Date.now()\n", properties],
  ["draws no random number", "export const x = () => Math.random()\n", properties],
  ["makes no date of now", "export const x = () => new Date()\n", "causeway(no-clock)"],
  ["throws nothing", "export const x = () => { throw new Error(\"x\") }\n", "causeway(no-throw)"],
  ["names no family", "export const x = (name: string) => name === \"solana-vm\"\n", "causeway(family-names)"],
  [
    "names no family as the API does",
    "export const x = (name: string) => name === \"tvm\"\n",
    "causeway(family-names)"
  ],
  [
    "names no family in a template",
    "export const x = (name: string) => name === `solana-vm`\n",
    "causeway(family-names)"
  ]
]

const imported = "eslint(no-restricted-imports)"

const longFunction = `export const x = (y: Array<number>) => {\n${"  y.push(1)\n".repeat(101)}}\n`

const house: ReadonlyArray<readonly [line: string, path: string, code: string, rule: string]> = [
  [
    "no loop without a name",
    "src/services/*",
    "import { Effect } from \"effect\"\nexport const x = Effect.forever(Effect.void)\n",
    properties
  ],
  ...["src/services/*", "adapters/*", "hosts/*"].map((path) =>
    ["no function above 100 lines", path, longFunction, "eslint(max-lines-per-function)"] as const
  ),
  ["no any", "src/domain/*", "export const x = (y: any) => y\n", "typescript(no-explicit-any)"],
  ["no cast to any", "adapters/*", "export const x = (y: unknown) => y as any\n", "typescript(no-explicit-any)"],
  [
    "no any slipping in",
    "adapters/*",
    "export const x = (y: string) => { const z = JSON.parse(y)\n return String(z) }\n",
    "typescript(no-unsafe-assignment)"
  ],
  [
    "no cast of outside data",
    "adapters/*",
    "export const x = (y: unknown) => y as string\n",
    "typescript(no-unsafe-type-assertion)"
  ],
  [
    "no promise left floating",
    "hosts/*",
    "export const x = () => { Promise.resolve(1) }\n",
    "typescript(no-floating-promises)"
  ],
  [
    "no error of the compiler silenced",
    "adapters/*",
    "// @ts-ignore\nexport const x: string = \"y\"\n",
    "typescript(ban-ts-comment)"
  ],
  [
    "what all families share names none",
    "src/domain/families/*",
    "export const x = (name: string) => name === \"solana-vm\"\n",
    "causeway(family-names)"
  ],
  [
    "a host names no family as the API does",
    "hosts/*",
    "export const x = (name: string) => name === \"svm\"\n",
    "causeway(family-names)"
  ],
  [
    "a host names no family",
    "hosts/*",
    "export const x = (name: string) => name === \"bitcoin-vm\"\n",
    "causeway(family-names)"
  ],
  [
    "what families share names none",
    "adapters/quorum/*",
    "export const x = (name: string) => name === \"tron-vm\"\n",
    "causeway(family-names)"
  ],
  ["nothing unused", "adapters/*", "const y = 1\nexport const x = 2\n", "eslint(no-unused-vars)"],
  [
    "no value assumed to be there",
    "hosts/*",
    "export const x = (y: string | undefined) => y!.length\n",
    "typescript(no-non-null-assertion)"
  ],
  [
    "no case forgotten",
    "hosts/*",
    "export const x = (y: \"a\" | \"b\") => { switch (y) { case \"a\": return 1 } return 2 }\n",
    "typescript(switch-exhaustiveness-check)"
  ],
  [
    "no cycle of imports",
    "src/domain/*/Cycle1.ts",
    "import { y } from \"./Cycle2.ts\"\nexport const x = (): unknown => y\n",
    "import(no-cycle)"
  ],
  [
    "no cycle of imports, seen from the other side",
    "src/domain/*/Cycle2.ts",
    "import { x } from \"./Cycle1.ts\"\nexport const y = (): unknown => x\n",
    "import(no-cycle)"
  ],
  [
    "no cycle of imports, not even of types",
    "src/services/*/TypeCycle1.ts",
    "import type { Y } from \"./TypeCycle2.ts\"\nexport interface X { readonly y: Y | undefined }\n",
    "import(no-cycle)"
  ],
  [
    "no cycle of imports, not even of types, seen from the other side",
    "src/services/*/TypeCycle2.ts",
    "import type { X } from \"./TypeCycle1.ts\"\nexport interface Y { readonly x: X | undefined }\n",
    "import(no-cycle)"
  ],
  [
    "no hex in pieces",
    "src/domain/*",
    "import { bytesToHex } from \"@noble/hashes/utils.js\"\nexport const x = bytesToHex\n",
    imported
  ],
  [
    "no hex in pieces, not even by effect",
    "src/services/*",
    "import * as Hex from \"effect/encoding/Hex\"\nexport const x = Hex.encode\n",
    imported
  ],
  [
    "no hex in pieces, not even by viem",
    "adapters/*",
    "import { bytesToHex } from \"viem\"\nexport const x = bytesToHex\n",
    imported
  ],
  [
    "only a host runs an effect",
    "src/services/*",
    "import { Effect } from \"effect\"\nexport const x = () => Effect.runSync(Effect.void)\n",
    properties
  ]
]

const allowed: ReadonlyArray<readonly [line: string, path: string, code: string]> = [
  ["an example is written on the package, by its name", "examples/*", "export { Address } from \"causeway-kit\"\n"],
  [
    "a test of hosts uses the family of an example",
    "hosts/*/A.test.ts",
    "export { ledgerMatrix } from \"../../examples/ledger-vm/testing/MatrixLedger.ts\"\n"
  ],
  [
    "a test of an example uses the local network",
    "examples/*/A.test.ts",
    "export { chainIdOf } from \"../../hosts/localnet/run/Slug.ts\"\n"
  ],
  [
    "effect's data in the domain",
    "src/domain/*",
    "import { Result, Schema } from \"effect\"\nimport * as Option from \"effect/Option\"\nexport const x = [Result, Schema, Option]\n"
  ],
  [
    "hashes and encoders in the domain",
    "src/domain/*",
    "import { keccak_256 } from \"@noble/hashes/sha3.js\"\nimport { encodeAbiParameters, type Hex } from \"viem\"\nimport { base58 } from \"@scure/base\"\nexport const x = (y: Hex) => [keccak_256, encodeAbiParameters, base58, y]\n"
  ],
  [
    "its own name in a family's folder",
    "src/domain/families/solana/*",
    "export const x = (name: string) => name === \"solana-vm\"\n"
  ],
  [
    "its own name in a family's adapter",
    "adapters/solana/*",
    "export const x = (name: string) => name === \"solana-vm\"\n"
  ],
  [
    "families in the local network",
    "hosts/localnet/*",
    "export { solana } from \"../../../adapters/solana/Family.ts\"\nexport const x = \"solana-vm\"\n"
  ],
  ["the domain in the domain", "src/domain/*", "export { X } from \"../money/X.ts\"\n"],
  ["dates of a given time in the domain", "src/domain/*", "export const x = (y: number) => new Date(y)\n"],
  [
    "the domain and effect in a port",
    "ports/*",
    "import { Context, Effect } from \"effect\"\nimport { X } from \"../../src/domain/money/X.ts\"\nexport const x = [Context, Effect, X]\n"
  ],
  [
    "ports, domain and workflows in a service",
    "src/services/*",
    "import { Effect } from \"effect\"\nimport { Workflow } from \"effect/workflow\"\nimport { X } from \"../../../ports/X.ts\"\nimport { Y } from \"../../domain/money/Y.ts\"\nexport const x = [Effect, Workflow, X, Y]\n"
  ],
  [
    "randomness as a service in a service",
    "src/services/*",
    "import { SecureRandom } from \"effect/crypto\"\nexport const x = SecureRandom\n"
  ],
  [
    "the world in an adapter",
    "adapters/*",
    "import { readFileSync } from \"node:fs\"\nimport { createPublicClient } from \"viem\"\nimport { X } from \"../../ports/X.ts\"\nimport { Y } from \"../../src/domain/money/Y.ts\"\nimport { Z } from \"./decode/Z.ts\"\nimport { Q } from \"../quorum/Q.ts\"\nimport { R } from \"../endpoints/R.ts\"\nimport { F } from \"../family/F.ts\"\nexport const x = [readFileSync, createPublicClient, X, Y, Z, Q, R, F, Date.now()]\n"
  ],
  ["a package loaded late in an adapter", "adapters/*", "export const x = () => import(\"tronweb\")\n"],
  [
    "everything in a host",
    "hosts/*",
    "import { A } from \"../../adapters/storage/A.ts\"\nimport { S } from \"../../src/services/S.ts\"\nimport { H } from \"../transfer/H.ts\"\nexport const x = [A, S, H, process.env[\"HOME\"]]\n"
  ],
  [
    "the core and fast-check in a law",
    "property-tests/*",
    "import * as fc from \"fast-check\"\nimport { X } from \"../../src/domain/money/X.ts\"\nexport const x = [fc, X]\n"
  ],
  [
    "local chains and tallies in a test of an adapter",
    "adapters/*/A.test.ts",
    "import { X } from \"../../hosts/localnet/chains/X.ts\"\nimport { tally } from \"../../scripts/testing/Tally.ts\"\nimport { Y } from \"../storage/testing/Y.ts\"\nexport const x = [X, Y, tally]\n"
  ],
  [
    "test support in a test of a service",
    "src/services/*/A.test.ts",
    "export { X } from \"../../../adapters/storage/testing/X.ts\"\n"
  ],
  [
    "the workshop's freedom",
    "scripts/*",
    "import { X } from \"../../adapters/ethereum/X.ts\"\nexport const x = (name: string): unknown => [X, import(name)]\n"
  ]
]

export const violations: ReadonlyArray<LintViolation> = [
  ...forbidden.map(([line, path, code]) => ({ line, path, code, rule: layers })),
  ...core.flatMap((path) => ambient.map(([line, code, rule]) => ({ line: `the core ${line}`, path, code, rule }))),
  ...house.map(([line, path, code, rule]) => ({ line, path, code, rule })),
  ...allowed.map(([line, path, code]) => ({ line: `allowed: ${line}`, path, code, rule: "nothing" }))
]
