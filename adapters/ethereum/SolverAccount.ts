/** The key that pays on EVM chains. Held here and nowhere else; printing it gives an address. */
import { Context, Layer, Redacted } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import type { PrivateKeyAccount } from "viem/accounts"
import { viemHex } from "./ViemHex.ts"

export class SolverAccount extends Context.Service<SolverAccount, {
  readonly account: PrivateKeyAccount
}>()("causeway/adapters/ethereum/SolverAccount") {}

/** `key`: 0x and 64 hex digits, checked where the configuration is decoded. */
export const layer = (key: Redacted.Redacted) =>
  Layer.sync(SolverAccount, () => SolverAccount.of({ account: privateKeyToAccount(viemHex(Redacted.value(key))) }))
