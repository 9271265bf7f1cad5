/**
 * Replaces payments at other fees. A replacement is made from the stored bytes of the old transaction, so that only its
 * fees can differ.
 */
import { Effect, Result } from "effect"
import { parseTransaction } from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { PreparedReplacement, Replacing, SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { addressCodec } from "../../../src/domain/families/index.ts"
import { judgeReplacement } from "../../../src/domain/transfer/payment/ReplacePayment.ts"
import type { FeeBid, FeeMarket } from "../../../src/domain/transfer/payment/ReplacePayment.ts"
import type { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { tipBounds, boundedTip } from "./TipBounds.ts"
import { gasWithin } from "./GasWithin.ts"
import { l1FeeOf, mostL1Fee } from "./l1-data/L1Fee.ts"
import { unitsToBegin } from "./l1-data/L1Units.ts"
import { signedBy } from "./Payers.ts"
import { runsRecipientCode } from "./RecipientCode.ts"
import type { Payers } from "./Payers.ts"

const bidOf = ({ raw }: SignedPayment): FeeBid => {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(viemHex(raw))
  return { maxFeePerGas, tipPerGas: maxPriorityFeePerGas }
}

const carriedBy = ({ authorizationList, data = "0x" }: ReturnType<typeof parseTransaction>) =>
  authorizationList === undefined ? { data } : { data, authorizationList }

const marketByOne = (
  rpc: EthereumRpc["Service"],
  payers: Payers,
  chain: Chain,
  signed: SignedPayment
): Effect.Effect<FeeMarket, ChainUnavailable> =>
  rpc.call(chain, "fees", async (client) => {
    const payer = await payers.signerOf(signed)
    const [block, tipPerGas, next] = await Promise.all([
      client.getBlock(),
      client.estimateMaxPriorityFeePerGas(),
      client.getTransactionCount({ address: payer, blockTag: "latest" })
    ])
    return {
      baseFeePerGas: block.baseFeePerGas ?? 0n,
      tipPerGas,
      headTime: Number(block.timestamp) * 1000,
      nextSequence: BigInt(next)
    }
  })

const readMarket = (rpc: EthereumRpc["Service"], payers: Payers, chain: Chain, signed: SignedPayment) =>
  Effect.map(
    Effect.all([marketByOne(rpc, payers, chain, signed), tipBounds(rpc, chain)], { concurrency: 2 }),
    ([market, bounds]): FeeMarket => ({ ...market, tipPerGas: boundedTip(market.tipPerGas, bounds) })
  )

export const replacingBy = (rpc: EthereumRpc["Service"], payers: Payers): Replacing => {
  /** The signed transaction at other fees. `gasOf` gives how much of its gas it keeps. */
  const remake = Effect.fn("Treasury.remake")(
    function*(
      chain: Chain,
      signed: SignedPayment,
      { maxFeePerGas, tipPerGas }: FeeBid,
      gasOf: (signed: bigint) => bigint,
      leftOut?: "authorizations"
    ) {
      const {
        authorizationList,
        chainId = chain.id,
        data = "0x",
        gas: signedGas = 0n,
        nonce = 0,
        to = null,
        value = 0n
      } = parseTransaction(viemHex(signed.raw))
      const gas = gasOf(signedGas)
      const payer = yield* payers.signedFor(signed)
      const kept = authorizationList === undefined || leftOut === "authorizations" ? {} : { authorizationList }
      const { balance, l1Fee, runs } = yield* rpc.call(chain, "balance", async (client) => {
        const [balance, l1Fee, runs] = await Promise.all([
          client.getBalance({ address: payer.address }),
          l1FeeOf(client, chain, { data, ...kept }),
          to !== null && runsRecipientCode(client, chain, { to, value, data, ...kept })
        ])
        return { balance, l1Fee, runs }
      })
      const raised = gas * maxFeePerGas - signedGas * bidOf(signed).maxFeePerGas
      return {
        extra: {
          holder: Result.getOrThrow(addressCodec("ethereum-vm").parse(payer.address)),
          currency: chain.native.address,
          amount: raised > 0n ? raised : 0n,
          balance
        },
        // No bid raises what is taken besides gas, and every variant takes it.
        mostGas: gas * maxFeePerGas + mostL1Fee(l1Fee, gas),
        ...(runs ? { runsCode: true as const } : {}),
        sign: signedBy(
          payer,
          {
            chainId,
            nonce,
            gas,
            to,
            value,
            data,
            maxFeePerGas,
            maxPriorityFeePerGas: tipPerGas,
            ...kept
          }
        )
      } satisfies PreparedReplacement
    }
  )

  const remakeWithin = Effect.fnUntraced(function*(chain: Chain, signed: SignedPayment, bid: FeeBid) {
    const transaction = parseTransaction(viemHex(signed.raw))
    const payer = yield* payers.signedFor(signed)
    const above = yield* rpc.call(
      chain,
      "gas of data",
      (client) => unitsToBegin(client, payer.address, chain, carriedBy(transaction))
    )
    const gas = gasWithin(transaction, bid.maxFeePerGas, above)
    return gas === undefined ? undefined : yield* remake(chain, signed, bid, () => gas)
  })

  const judge: Replacing["judge"] = Effect.fnUntraced(function*(chain, { sequence, since, variants }, bounds, now) {
    const [first, ...others] = variants
    const newest = others.at(-1) ?? first
    const bids = [bidOf(first), ...others.map(bidOf)] as const
    const judged = judgeReplacement(
      { sequence, bids, since },
      yield* readMarket(rpc, payers, chain, newest),
      bounds,
      now
    )
    if (judged._tag !== "Replace") return judged
    return {
      _tag: "Replace",
      whole: remake(chain, newest, judged.bid, (gas) => gas),
      within: remakeWithin(chain, newest, judged.bid)
    }
  })

  return {
    judge,
    withoutAuthorizations: (chain, signed) => remake(chain, signed, bidOf(signed), (gas) => gas, "authorizations")
  }
}
