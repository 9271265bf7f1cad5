/**
 * The variables of services of the reader's own, for the chains that run without ours: a file for each process, as
 * deploy/env has them.
 */
import type { Keys } from "../state/Keys.ts"

/** What only workers have: with it whoever has the file could empty deposit addresses. */
const ofWorkers = ["DEPOSIT_ADDRESSES_PRIVATE_KEY", "DEPOSIT_ADDRESS_SEED"]

type FileName = "transfer.env" | "worker.env" | "oracle.env" | "client.env"

/** The text of each file. */
export type VariableFiles = Readonly<Record<FileName, string>>

const textOf = (variables: ReadonlyArray<readonly [name: string, value: string]>): string =>
  variables.map(([name, value]) => `${name}=${value}\n`).join("")

/** From the variables of our services. The store is the reader's choice, so `DATABASE_URL` is in none. Pure. */
export const variableFiles = (
  given: {
    readonly transfer: Readonly<Record<string, string>>
    readonly oracle: Readonly<Record<string, string>>
    readonly transferUrl: string
    readonly accounts: Keys["accounts"]
  }
): VariableFiles => {
  const shared = Object.entries(given.transfer).filter(([name]) => name !== "DATABASE_URL")
  const isOfWorkers = ([name]: readonly [string, string]) => ofWorkers.includes(name)
  return {
    "transfer.env": textOf(shared.filter((variable) => !isOfWorkers(variable))),
    "worker.env": textOf(shared.filter(isOfWorkers)),
    // An empty one means what an unset one means.
    "oracle.env": textOf(Object.entries(given.oracle).filter(([, value]) => value !== "")),
    "client.env": textOf([["TRANSFER_URL", given.transferUrl], ["WALLET_PRIVATE_KEY", given.accounts[0] ?? ""]])
  }
}
