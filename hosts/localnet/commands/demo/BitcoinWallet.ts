/**
 * The user's side of a transfer on a Bitcoin chain: bitcoinjs-lib, a key, a node and an explorer. Signs the PSBT of a
 * step as public wallet adapters do: all inputs, finalised, broadcast by the explorer.
 */
import { networks, Psbt } from "bitcoinjs-lib"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { listCoins } from "../../nodes/bitcoin/Faucet.ts"
import { keyOf } from "../../nodes/bitcoin/node/LocalKey.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { DemoChain } from "./DemoChain.ts"
import type { BitcoinStep } from "./TransferApi.ts"

const AGAIN_MS = 100
/** Many times the blocks of the local chain. */
const LOOKS = 600

/** What reaches a chain. */
type BitcoinAccess = Pick<DemoChain, "explorerUrl" | "id" | "rpcUrl">

const attempt = <A>({ id }: BitcoinAccess, what: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new LocalnetError({ message: `${what} on ${id} failed: ${reasonOf(cause)}` })
  })

const explorerOf = ({ explorerUrl = "", rpcUrl }: BitcoinAccess) => ({ rpcUrl, explorerUrl })

/** Satoshi in blocks. */
export const balance = (chain: DemoChain, owner: string): Effect.Effect<bigint, LocalnetError> =>
  attempt(chain, "reading a balance", async () => {
    const coins = await listCoins(explorerOf(chain), owner)
    return coins.reduce((sum, { status, value }) => status.confirmed ? sum + BigInt(value) : sum, 0n)
  })

/** Signs and sends what a step requests. Returns the transaction's id. */
export const send = (chain: DemoChain, key: string, { psbt }: BitcoinStep): Effect.Effect<string, LocalnetError> =>
  attempt(chain, "sending the step's transaction", async () => {
    const signer = keyOf(Uint8Array.from(Buffer.from(key, "hex")))
    const transaction = Psbt.fromHex(psbt, { network: networks.regtest }).signAllInputs(signer).finalizeAllInputs()
      .extractTransaction()
    const answer = await fetch(`${explorerOf(chain).explorerUrl}/tx`, { method: "POST", body: transaction.toHex() })
    if (answer.status !== 200) throw new Error(await answer.text())
    return transaction.getId()
  })

const Told = Schema.Struct({ fee: Schema.Int, status: Schema.Struct({ confirmed: Schema.Boolean }) })
const decodeTold = Schema.decodeUnknownSync(Told)

/** A transaction in a block, which never fails, and its fee in satoshi. */
export const mined = Effect.fnUntraced(function*(chain: BitcoinAccess, id: string) {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const { fee, status } = yield* attempt(
      chain,
      `transaction ${id}`,
      async () => decodeTold(await (await fetch(`${explorerOf(chain).explorerUrl}/tx/${id}`)).json())
    )
    if (status.confirmed) return { succeeded: true, gasCost: BigInt(fee) }
    yield* Effect.sleep(AGAIN_MS)
  }
  return yield* new LocalnetError({ message: `transaction ${id} is not on ${chain.id}` })
})

/** A new account. Its key is discarded. */
export const newAddress = Effect.sync(() => keyOf(new Uint8Array(randomBytes(32))).address)
