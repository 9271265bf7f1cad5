/**
 * A deposit of TRX by tronweb: `depositNative` of the depository, called with the amount. Ends when a block holds it,
 * so it takes one of the chain's block times. The oracle waits for the nineteen blocks that solidify it.
 */
import { Effect, Schedule, Schema } from "effect"
import { keyOf } from "../../nodes/tron/node/LocalKey.ts"
import { Wallet } from "../../nodes/tron/node/Wallet.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import { depositNative } from "../../nodes/tron/Deposits.ts"

type Chain = NonNullable<Localnet["tron"]>

const Info = Schema.Struct({ receipt: Schema.Struct({ result: Schema.String }) })

export const deposit = Effect.fnUntraced(
  function*(
    { id: chain, rpcUrl }: Chain,
    { privateKey }: Chain["accounts"][number],
    amount: bigint,
    id: `0x${string}`
  ) {
    const failed = (cause: unknown) =>
      new LocalnetError({ message: `the deposit on ${chain} failed: ${reasonOf(cause)}` })
    const wallet = yield* Effect.tryPromise({ try: () => Wallet.open(rpcUrl, keyOf(`0x${privateKey}`)), catch: failed })
    const transactionId = yield* Effect.tryPromise({ try: () => depositNative(wallet, id, amount), catch: failed })
    const inBlock = Effect.tryPromise(() => wallet.client.trx.getUnconfirmedTransactionInfo(transactionId)).pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Info))
    )
    const { receipt: { result } } = yield* inBlock.pipe(
      Effect.retry(Schedule.spaced("200 millis")),
      Effect.timeoutOrElse({
        duration: "60 seconds",
        orElse: () => Effect.fail(failed("it is in no block after a minute"))
      }),
      Effect.mapError(failed)
    )
    if (result !== "SUCCESS") return yield* failed(`it was reverted (${result})`)
    return { transactionId, depositor: wallet.key.address }
  }
)
