/**
 * `causeway-kit/adapters/family`: what a VM family is to the hosts. A family of your own is one value of `ChainFamily`;
 * give it to a host in its list of families.
 */
export type {
  Aspect,
  ChainFamily,
  Observing,
  ServiceSigners,
  Settings,
  Transferring,
  TransferPorts
} from "./ChainFamily.ts"
export { anyFinality, type EntryPart, type EntryRules, usualFinality } from "./EntryRules.ts"
/** Adapters that are loaded when they are first needed. */
export * as Loading from "./Loading.ts"
/** How variables of a family are declared and read. */
export * as Variables from "./Variables.ts"
/** Ports of what a family does not have. */
export * as UnsupportedPorts from "./UnsupportedPorts.ts"
