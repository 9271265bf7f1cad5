/** The keys that send on EVM chains. Held here and nowhere else; printing them gives addresses. */
import { Context, Layer, Redacted } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import type { PrivateKeyAccount } from "viem/accounts"
import { viemHex } from "../rpc/ViemHex.ts"

export class SolverAccount extends Context.Service<SolverAccount, {
  /** The solver's, which pays. */
  readonly account: PrivateKeyAccount
  /** The one that empties deposit addresses, in a sequence of its own; undefined in a process that does not. */
  readonly operator: PrivateKeyAccount | undefined
}>()("causeway/adapters/ethereum/SolverAccount") {}

const accountOf = (key: Redacted.Redacted): PrivateKeyAccount => privateKeyToAccount(viemHex(Redacted.value(key)))

/** Keys: 0x and 64 hex digits, checked where the configuration is decoded. */
export const layer = (key: Redacted.Redacted, operator?: Redacted.Redacted) =>
  Layer.sync(
    SolverAccount,
    () =>
      SolverAccount.of({ account: accountOf(key), operator: operator === undefined ? undefined : accountOf(operator) })
  )
