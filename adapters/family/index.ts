/**
 * `causeway-kit/adapters/family`: a VM family, as the hosts take it. Your own family is one value of `ChainFamily`; add
 * it to a host's list of families.
 */
export type {
  Aspect,
  ChainFamily,
  FamilyStores,
  Observing,
  ServiceSigners,
  Settings,
  Transferring,
  TransferPorts
} from "./ChainFamily.ts"
export { anyFinality, type EntryPart, type EntryRules, usualFinality } from "./EntryRules.ts"
/** Adapters that are loaded on first use. */
export * as Loading from "./Loading.ts"
/** Declaring and reading a family's variables. */
export * as Variables from "./Variables.ts"
/** Ports for what a family lacks. */
export * as UnsupportedPorts from "./UnsupportedPorts.ts"
