/**
 * The six families of virtual machines a chain can belong to (ORACLE-1).
 *
 * The family decides how addresses, currencies and transaction ids are spelled and what their
 * bytes are; it says nothing about which chains are configured.
 */
import * as Schema from "effect/Schema"

export const VmFamily = Schema.Literals([
  "ethereum-vm",
  "solana-vm",
  "bitcoin-vm",
  "exchangea-vm",
  "exchangeb-vm",
  "tron-vm"
])

export type VmFamily = typeof VmFamily.Type

/** All six families. */
export const vmFamilies: ReadonlyArray<VmFamily> = VmFamily.literals
