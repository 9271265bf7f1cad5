/**
 * Which packages, and which of their names, a layer of the core may use. This is an allowlist: a new package or module
 * is refused until it is added here.
 */

/** The modules of effect that are values and rules: none of them runs effects, waits or reads the outside world. */
const effectData = [
  "Arbitrary|Array|BigDecimal|BigInt|Boolean|Brand|Bytes|Chunk|Combiner|Data|DateTime|Differ|Duration|Equal|Equivalence",
  "Filter|Formatter|Function|Graph|Hash|HashMap|HashSet|HKT|Inspectable|Iterable|JsonPatch|JsonPointer|JsonSchema|Match",
  "MutableHashMap|MutableHashSet|MutableList|Newtype|NonEmptyIterable|Number|Optic|Option|Order|Ordering|Pipeable",
  "Predicate|Record|Redacted|Reducer|RegExp|Result|Schema|SchemaAST|SchemaGetter|SchemaIssue|SchemaParser",
  "SchemaTransformation|String|Struct|Symbol|Trie|Tuple|Types|UndefinedOr|Unify|absurd|flow|identity|pipe"
].join("|")

/** viem's encoders, hashes, types and plain values: no client, no transport, no list of chains. */
const viemPure = [
  "(?:encode|decode|parse|serialize|format|hash|recover|is|to|hexTo|bytesTo|concat|pad|slice|size|trim)(?:[A-Z0-9]\\w*)?",
  "(?:numberTo|stringTo|boolTo|prepareEncode)\\w+",
  "get(?:Address|AbiItem|ContractAddress|CreateAddress|Create2Address|TypesForEIP712Domain)",
  "keccak256|sha256|ripemd160|checksumAddress|zeroAddress|zeroHash|ethAddress|max(?:Ui|I)nt\\d+|[A-Z]\\w*"
].join("|")

const domainBarrels: ReadonlyArray<readonly [specifier: RegExp, names: RegExp]> = [
  [/^effect$/, new RegExp(`^(?:${effectData})$`)],
  [/^viem(?:\/utils)?$/, new RegExp(`^(?!.*(?:Client|Transport|Actions))(?:${viemPure})$`)]
]
const domainPackages = new RegExp(
  `^(?:effect/(?:${effectData})|effect/encoding/(?:Base64|Base64Url)|@noble/hashes(?:/.*)?|@noble/secp256k1|@scure/base)$`
)
const effectModules = /^effect(?:\/[A-Z]\w*)?$/
const services = /^effect\/(?:workflow|crypto|encoding)(?:\/\w+)?$/
const laws = /^(?:fast-check|effect\/(?:testing|workflow)(?:\/\w+)?)$/
const testRunner = /^(?:vitest|@effect\/vitest)(?:\/|$)/
const itself = /^causeway-kit(?:\/|$)/

/** The names that an import takes; `all` for a namespace, a re-export of everything or a dynamic import. */
export type Names = ReadonlyArray<string> | "all"

/** The problem with importing `names` of this package in the domain, or undefined. */
export const judgeDomainPackage = (specifier: string, names: Names): string | undefined => {
  const barrel = domainBarrels.find(([pattern]) => pattern.test(specifier))
  if (barrel === undefined) {
    return domainPackages.test(specifier)
      ? undefined
      : "The domain uses effect's data types, @noble, @scure/base and viem's encoders."
  }
  if (names === "all") return `The domain takes single names from ${specifier}, so that the linter sees which.`
  const wrong = names.filter((name) => !barrel[1].test(name))
  return wrong.length === 0
    ? undefined
    : `The domain may not use ${wrong.join(", ")} of ${specifier}: data and pure functions only.`
}

export const judgePortPackage = (specifier: string): string | undefined =>
  effectModules.test(specifier) ? undefined : "A port is said in effect and in the domain's words."

export const judgeServicePackage = (specifier: string): string | undefined =>
  effectModules.test(specifier) || services.test(specifier)
    ? undefined
    : "A service is a program over ports: effect, effect/workflow, effect/crypto and effect/encoding only."

export const judgeLawPackage = (specifier: string): string | undefined =>
  effectModules.test(specifier) || laws.test(specifier)
    ? undefined
    : "Laws are exported for others to run: effect, effect/workflow and fast-check only, no test runner, nothing of Node."

export const judgeExamplePackage = (specifier: string): string | undefined =>
  testRunner.test(specifier) ? "Only tests import a test runner." : undefined

export const judgeOuterPackage = (specifier: string): string | undefined => {
  if (testRunner.test(specifier)) return "Only tests import a test runner."
  return itself.test(specifier) ? "Import the module itself, not the public entry of the package." : undefined
}
