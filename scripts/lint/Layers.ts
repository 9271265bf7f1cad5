/**
 * The architecture's import rules as one function:
 *   `domain ← ports ← services ← hosts` and `domain, ports ← adapters ← hosts`.
 *
 * Guarantee: what a layer may import is listed, and everything else is refused. The linter calls it for every import
 * (ArchitecturePlugin.ts). scripts/check-planted-violations.ts plants a violation of every line and checks that it is
 * caught.
 */
import { posix } from "node:path"
import { familyFolders } from "./FamilyFolders.ts"
import {
  judgeDomainPackage,
  judgeExamplePackage,
  judgeLawPackage,
  judgeOuterPackage,
  judgePortPackage,
  judgeServicePackage,
  type Names
} from "./Packages.ts"

export type Layer =
  | "domain"
  | "ports"
  | "services"
  | "entry"
  | "adapters"
  | "hosts"
  | "laws"
  | "configs"
  | "examples"
  | "workshop"

export type Import = { readonly specifier: string; readonly names: Names; readonly dynamic: boolean }

/** `folder` is that of the adapter or host: ethereum, storage, localnet. */
type Place = { readonly layer: Layer; readonly folder: string; readonly forTests: boolean; readonly path: string }

const layerOfPrefix: ReadonlyArray<readonly [prefix: string, layer: Layer]> = [
  ["src/domain/", "domain"],
  ["src/services/", "services"],
  ["src/", "entry"],
  ["ports/", "ports"],
  ["adapters/", "adapters"],
  ["hosts/", "hosts"],
  // The simulation puts the whole service together: hosts, adapters and the example's ledger.
  ["property-tests/simulation/", "workshop"],
  ["property-tests/", "laws"],
  ["configs/", "configs"],
  ["examples/", "examples"]
]

/** Tests, benches and loads, and the folders named `testing`, which only they use. */
const testFile = /\.(?:test|bench|load)\.ts$|\/testing\//

/** The layer and folder of a file, given its path from the root of the repository with `/`. */
export const placeOf = (path: string): Place => ({
  layer: layerOfPrefix.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "workshop",
  folder: path.split("/")[1] ?? "",
  forTests: testFile.test(path),
  path
})

const mayImport: Record<Layer, ReadonlyArray<Layer>> = {
  domain: ["domain"],
  ports: ["ports", "domain"],
  services: ["services", "ports", "domain"],
  entry: ["entry", "services", "ports", "domain"],
  adapters: ["adapters", "ports", "domain"],
  hosts: ["hosts", "adapters", "services", "ports", "domain", "entry", "configs"],
  laws: ["laws", "services", "ports", "domain", "entry"],
  configs: [],
  examples: ["examples"],
  workshop: ["workshop", "hosts", "adapters", "services", "ports", "domain", "entry", "laws", "configs", "examples"]
}

/** What tests of a layer may import besides what the layer may. */
const testsMayImport = (from: Place, to: Place): boolean => {
  if (from.layer === "examples") return true
  if (to.layer === "laws" || to.layer === "workshop" || to.layer === "configs") return true
  // A family of an example is served by the hosts, and tested through them.
  if (to.layer === "examples") return to.forTests && from.layer === "hosts"
  if (to.layer === "adapters") return to.forTests && from.layer === "services"
  return to.layer === "hosts" && to.folder === "localnet" && from.layer === "adapters"
}

/** The one module of the hosts that names families. */
const registry = "families.ts"

/** What a host must not import although its layer may: a family's adapter, or the other service. */
const judgeHost = (from: Place, to: Place): string | undefined => {
  if (from.layer !== "hosts" || from.forTests || from.folder === "localnet") return undefined
  if (to.layer === "adapters" && familyFolders.includes(to.folder) && from.folder !== registry) {
    return "A host is given its families: only hosts/families.ts names them."
  }
  const services = ["transfer", "oracle"]
  return to.layer === "hosts" && services.includes(to.folder) && services.includes(from.folder) &&
      to.folder !== from.folder
    ? `hosts/${from.folder} may not import hosts/${to.folder}: what both need is in hosts/configuration, hosts/routing or hosts/http.`
    : undefined
}

const familyOfRules = ({ path }: Place): string | undefined =>
  familyFolders.find((name) => path.startsWith(`src/domain/families/${name}/`))

/**
 * What the core uses of a family's rules by name: accounts of the protocol are accounts of EVM chains, factories deploy
 * by the EVM's rule, exchange A's nonces are mapped to orders, and users' payments and routes have a family's form.
 */
const usesOneFamily = [
  "src/domain/chain/Address.ts",
  "src/domain/chain/ProtocolAccounts.ts",
  "src/domain/chain/ProtocolFamily.ts",
  "src/domain/deposit-address/DepositAddress.ts",
  "src/domain/nonce-mapping/NonceMapping.ts",
  "src/domain/swap/RouteInstructions.ts",
  "src/domain/transfer/payment/UserPayment.ts"
]

/** The core asks a chain's family. Only a family itself, and the registry above the six, import a family's folder. */
const judgeFamily = (from: Place, to: Place): string | undefined => {
  const isCore = ["domain", "ports", "services"].includes(from.layer) && !from.forTests
  const isAllowed = from.path.startsWith("src/domain/families/") || usesOneFamily.includes(from.path)
  return isCore && familyOfRules(to) !== undefined && !isAllowed
    ? "The core asks `chain.family`: a family's folder is imported by the family and by the registry only."
    : undefined
}

const judgeFile = (from: Place, to: Place): string | undefined => {
  if (to.forTests && !from.forTests) return "Only tests import what is there for tests."
  if (!mayImport[from.layer].includes(to.layer)) {
    if (from.layer === "examples" && !from.forTests) {
      return "An example imports the package by its name, as strangers do."
    }
    return from.forTests && testsMayImport(from, to) ? undefined : `${from.layer} may not import ${to.layer}.`
  }
  const named = judgeHost(from, to) ?? judgeFamily(from, to)
  if (named !== undefined) return named
  // These folders know no family, and every family may use them: reading endpoints in order or under a quorum, what a
  // family is to the hosts, and signers.
  const shared = ["quorum", "endpoints", "family", "signing"].includes(to.folder)
  const foreign = from.layer === "adapters" && to.layer === "adapters" && from.folder !== to.folder && !shared
  return foreign && !(from.forTests && to.forTests)
    ? `The adapter ${from.folder} may not import the adapter ${to.folder}: what they share is pure and lives in the domain, or asks endpoints and lives in adapters/endpoints or adapters/quorum, or is what every family is and lives in adapters/family, or signs and lives in adapters/signing.`
    : undefined
}

const judgePackage = (from: Place, { specifier, names }: Import): string | undefined => {
  if (from.forTests) return undefined
  switch (from.layer) {
    case "domain":
      return judgeDomainPackage(specifier, names)
    case "ports":
      return judgePortPackage(specifier)
    case "services":
      return judgeServicePackage(specifier)
    case "entry":
      return judgeServicePackage(specifier)
    case "laws":
      return judgeLawPackage(specifier)
    case "examples":
      return judgeExamplePackage(specifier)
    default:
      return judgeOuterPackage(specifier)
  }
}

const staysStatic: ReadonlyArray<Layer> = ["domain", "ports", "services", "entry", "laws"]

/** The problem with an import in the file at `path` (from the repository's root), or undefined. */
export const judgeImport = (path: string, imported: Import): string | undefined => {
  const from = placeOf(path)
  if (from.layer === "workshop") return undefined
  if (imported.dynamic && !from.forTests && staysStatic.includes(from.layer)) return "The core imports statically."
  if (imported.specifier.startsWith("/") || imported.specifier.startsWith("file:")) return "Import by a relative path."
  if (!/^\.\.?(?:\/|$)/.test(imported.specifier)) return judgePackage(from, imported)
  return judgeFile(from, placeOf(posix.join(posix.dirname(path), imported.specifier)))
}
