/**
 * The six families of virtual machines that a chain can belong to (ORACLE-1).
 *
 * The family decides how addresses, currencies and transaction ids are spelled, and what their bytes are. It does not
 * say which chains are configured.
 */
import * as Schema from "effect/Schema"

/** The name of one of the six families. */
export const VmFamily = Schema.Literals([
  "ethereum-vm",
  "solana-vm",
  "bitcoin-vm",
  "exchangea-vm",
  "exchangeb-vm",
  "tron-vm"
])

export type VmFamily = typeof VmFamily.Type

/** The name of a family: one of these, or one that the service was given in addition. */
export const FamilyName = Schema.Union([VmFamily, Schema.NonEmptyString.check(Schema.isMaxLength(64))])

export type FamilyName = typeof FamilyName.Type

/** All six families. */
export const vmFamilies: ReadonlyArray<VmFamily> = VmFamily.literals
