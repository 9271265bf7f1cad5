/** Signs for the rollup with API keys of the configuration, by the exchange's own module. */
import { Effect, Redacted, Schema } from "effect"
import { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"
import { LIFETIME_MS } from "../../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import { lighterWasm, Signed, Token } from "./LighterWasm.ts"
import type { RollupSigner } from "./RollupSigner.ts"

export interface ApiKey {
  /** 0 to 254. */
  readonly index: number
  /** 40 bytes of hex. */
  readonly privateKey: Redacted.Redacted
}

export interface RollupAccount {
  readonly account: number
  /** The number of the network in signatures. */
  readonly lighterChainId: number
  readonly apiKeys: readonly [ApiKey, ...ReadonlyArray<ApiKey>]
}

const decodeSigned = Schema.decodeUnknownEffect(Signed)
const decodeToken = Schema.decodeUnknownEffect(Token)

const unsuitable = Effect.mapError(() => new SignerUnavailable({ fault: "unsuitable-key" }))

/** Loads the module. Dies when it is damaged or missing. */
export const localRollupSigner = Effect.fnUntraced(
  function*({ account, apiKeys, lighterChainId }: RollupAccount): Effect.fn.Return<RollupSigner> {
    const call = yield* Effect.promise(lighterWasm)

    /** The module keeps keys by account and index, so that ours is set anew for each call: nothing runs in between. */
    const callBy = (
      { index, privateKey }: ApiKey,
      name: string,
      parameters: ReadonlyArray<number | string>,
      now: number
    ) =>
      Effect.sync(() => {
        call("CreateClient", ["", Redacted.value(privateKey), lighterChainId, index, account], now)
        return call(name, [...parameters, index, account], now)
      })

    const [first, ...others] = apiKeys
    return {
      apiKeys: [BigInt(first.index), ...others.map(({ index }) => BigInt(index))],
      sign: Effect.fnUntraced(function*(transfer, expiredAt) {
        const key = apiKeys.find(({ index }) => BigInt(index) === transfer.apiKeyIndex)
        const isOurs = transfer.fromAccountIndex === BigInt(account) &&
          transfer.lighterChainId === BigInt(lighterChainId)
        const numbers = [
          transfer.toAccountIndex,
          transfer.assetIndex,
          transfer.fromRouteType,
          transfer.toRouteType,
          transfer.amount,
          transfer.usdcFee
        ].map(Number)
        if (key === undefined || !isOurs || !numbers.every(Number.isSafeInteger)) {
          return yield* new SignerUnavailable({ fault: "unsuitable-key" })
        }
        const parameters = [...numbers, transfer.memo.slice(2), Number(transfer.nonce)]
        const said = yield* callBy(key, "SignTransfer", parameters, expiredAt - LIFETIME_MS)
        const { txHash, txInfo } = yield* unsuitable(decodeSigned(said))
        return { info: txInfo, hash: txHash }
      }),
      token: (until) =>
        callBy(first, "CreateAuthToken", [Math.floor(until / 1_000)], until - LIFETIME_MS).pipe(
          Effect.flatMap((said) => unsuitable(decodeToken(said))),
          Effect.map(({ authToken }) => Redacted.make(authToken, { label: "exchange-b-token" }))
        )
    }
  }
)
