/** Further accounts of the solver, which pay beside its first one, with money on both chains. */
import { Effect } from "effect"
import { parseEther, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { sentBy } from "./Misbehaving.ts"
import type { TestChains } from "./TestChains.ts"

const keys = [0xacc1, 0xacc2].map((key) => toHex(key, { size: 32 }))

export const furtherAccounts = keys.map((key) => privateKeyToAccount(key).address)

/** The settings of a host that pays with them. */
export const furtherSettings = { SOLVER_FURTHER_PRIVATE_KEYS: keys.join(";") }

export const fundFurther = ({ alpha, beta }: Pick<TestChains, "alpha" | "beta">) =>
  Effect.forEach(
    [alpha, beta],
    (anvil) =>
      Effect.forEach(
        furtherAccounts,
        (account) => anvil.request("anvil_setBalance", [account, toHex(parseEther("50"))])
      ),
    { discard: true }
  )

/** Every account that may pay, the first one first. */
export const payingAccounts = ({ solver }: Pick<TestChains, "solver">): ReadonlyArray<Hex> => [
  solver,
  ...furtherAccounts
]

/** Every transaction of these accounts on a chain, each account's in its order. */
export const sentByAny = (anvil: Anvil, chains: Pick<TestChains, "solver">) =>
  Effect.map(Effect.forEach(payingAccounts(chains), (account) => sentBy(anvil, account)), (all) => all.flat())
