/**
 * A chain in memory behind the port `Treasury`, for one account: nonces, a pool that takes the better bid of a nonce,
 * blocks that can be taken back, and a final height. It refuses what no honest service does: to be sent bytes that are
 * not stored.
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused, Treasury } from "../../../../ports/chain/Treasury.ts"
import type { Broadcast, PaymentOutcome, SignedPayment, Variants } from "../../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"
import { Address } from "../../../domain/chain/Address.ts"
import { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { alpha, evmAddress } from "../../../domain/quote/testing/Chains.ts"
import { judgeReplacement } from "../../../domain/transfer/payment/ReplacePayment.ts"

export const account = Address.make(evmAddress("50"))

/** What was signed: its own bytes say all of it. */
export interface Bytes {
  readonly sequence: bigint
  readonly fee: bigint
  readonly gas: bigint
  readonly to: string
  /** Tells two signatures of the same payment apart. */
  readonly nth: number
}

const encode = ({ fee, gas, nth, sequence, to }: Bytes): SignedPayment => ({
  transactionId: TransactionId.make(`0x${(sequence * 1_000n + BigInt(nth)).toString(16).padStart(64, "0")}`),
  raw: [sequence, fee, gas, to, nth].join(" ")
})

export const decode = ({ raw }: Pick<SignedPayment, "raw">): Bytes => {
  const [sequence = "", fee = "", gas = "", to = "", nth = ""] = raw.split(" ")
  return { sequence: BigInt(sequence), fee: BigInt(fee), gas: BigInt(gas), to, nth: Number(nth) }
}

interface Mined {
  readonly bytes: Bytes | "another's"
  readonly height: bigint
  readonly succeeded: boolean
}

const GAS_PAID = 7n

export const makeChain = () => {
  let signatures = 0
  const pool = new Map<bigint, Bytes>()
  const mined = new Map<bigint, Mined>()
  /** Sequences of what can never be executed any more, and is not waited for. */
  const expired = new Set<bigint>()
  const state = {
    height: 10n,
    /** As many blocks below the head are not final. */
    unfinal: 5n,
    baseFee: 1n,
    balance: 10n ** 18n,
    refuses: undefined as PaymentRefused["reason"] | undefined,
    reverts: false,
    /** Its recipients have code. */
    runsCode: false,
    /** Gas that strangers' code takes in a payment. */
    codeUnits: 0n,
    /** How many times as much it takes where a further account pays. */
    dearer: undefined as bigint | undefined,
    /** What a token that keeps a part delivers of what does not count as paid. */
    part: undefined as bigint | undefined,
    /** Its payments expire instead of being replaced, as on a chain without nonces. */
    expires: false,
    /** What a node says of all that it is sent, in place of taking it. */
    says: undefined as Broadcast | undefined,
    /** Nodes refuse all that they are sent, in words that nobody knows. */
    refusesToTake: false,
    isStored: (_: SignedPayment): boolean => true,
    /** What its account's signer does before it signs: fail, or take its time. */
    signer: Effect.void as Effect.Effect<void, SignerUnavailable>
  }
  const signed: Array<Bytes> = []
  const sent: Array<Bytes> = []
  const sign = (bytes: Omit<Bytes, "nth">) =>
    Effect.map(Effect.suspend(() => state.signer), () => {
      const made = { ...bytes, nth: signatures += 1 }
      signed.push(made)
      return encode(made)
    })
  const next = () => {
    let free = 0n
    while (mined.has(free) || expired.has(free)) free += 1n
    return free
  }
  const finalHeight = () => state.height - state.unfinal

  const prepareBy = (payment: Payment, mostGas: bigint, codeUnits: bigint) => ({
    account,
    chainSequence: next(),
    mostGas,
    ...(state.runsCode ? { runsCode: true as const, codeUnits } : {}),
    costs: [{
      holder: account,
      currency: payment.currency.address,
      amount: payment.amount,
      balance: state.balance
    }],
    sign: (sequence: bigint) => sign({ sequence, fee: 1n, gas: 100n, to: payment.recipient })
  })

  const prepare = (payment: Payment) => {
    if (state.refuses !== undefined) return Effect.fail(new PaymentRefused({ reason: state.refuses }))
    const first = prepareBy(payment, 100n, state.codeUnits)
    return Effect.succeed(
      state.dearer === undefined
        ? first
        : { ...first, others: [prepareBy(payment, 100n * state.dearer, state.codeUnits * state.dearer)] }
    )
  }

  const broadcast = (_: unknown, payment: SignedPayment) =>
    Effect.suspend((): Effect.Effect<Broadcast, ChainUnavailable> => {
      if (!state.isStored(payment)) return Effect.die(new Error(`${payment.raw} was sent before it was stored`))
      const bytes = decode(payment)
      sent.push(bytes)
      if (state.refusesToTake) {
        return Effect.fail(new ChainUnavailable({ chain: alpha.slug, operation: "broadcast", kind: "refused" }))
      }
      if (state.says !== undefined) return Effect.succeed(state.says)
      const standing = pool.get(bytes.sequence)
      if (standing !== undefined && standing.nth !== bytes.nth && bytes.fee <= standing.fee) {
        return Effect.succeed("underpriced")
      }
      if (!mined.has(bytes.sequence)) pool.set(bytes.sequence, bytes)
      return Effect.succeed("accepted")
    })

  const outcome = (_: unknown, variants: Variants) =>
    Effect.sync((): PaymentOutcome => {
      const { sequence } = decode(variants[0])
      const at = mined.get(sequence)
      if (at === undefined && (state.expires || expired.has(sequence))) return { _tag: "Expired" }
      if (at === undefined) return { _tag: pool.has(sequence) ? "Pending" : "Unseen" }
      const { bytes } = at
      const variant = variants.find((each) => bytes !== "another's" && decode(each).nth === bytes.nth)
      if (variant === undefined) return { _tag: at.height <= finalHeight() ? "Superseded" : "Unseen" }
      return {
        _tag: "Included",
        transactionId: variant.transactionId,
        block: { height: at.height, hash: `0x${at.height}`, time: 0 },
        succeeded: at.succeeded,
        ...(state.part === undefined ? {} : { deliveredPart: state.part }),
        gasPaid: GAS_PAID,
        final: at.height <= finalHeight()
      }
    })

  const replacement = (payment: SignedPayment, fee: bigint, gas: bigint) => {
    const bytes = decode(payment)
    return {
      extra: { holder: account, currency: alpha.native.address, amount: 0n, balance: state.balance },
      mostGas: gas * fee,
      ...(state.runsCode ? { runsCode: true as const } : {}),
      sign: sign({ sequence: bytes.sequence, fee, gas, to: bytes.to })
    }
  }

  return {
    state,
    signed,
    sent,
    mined: () => [...mined.values()].flatMap(({ bytes }) => bytes === "another's" ? [] : [bytes]),
    pooled: () => [...pool.values()],
    /**
     * Takes what is in the pool and pays the base fee, in the order of nonces; `which` picks among what was ever sent.
     */
    mine: (which?: (bytes: Bytes) => boolean) => {
      state.height += 1n
      const chosen = which === undefined ? [...pool.values()] : sent.filter(which)
      for (const bytes of chosen.filter(({ fee }) => fee >= state.baseFee)) {
        if (bytes.sequence !== next()) continue
        mined.set(bytes.sequence, { bytes, height: state.height, succeeded: !state.reverts })
        pool.delete(bytes.sequence)
      }
    },
    /** Another holder of the key uses the next nonce. */
    usurp: () => {
      state.height += 1n
      pool.delete(next())
      mined.set(next(), { bytes: "another's", height: state.height, succeeded: true })
    },
    /** All that is not final is gone, and nodes have forgotten it. */
    reorg: () => {
      for (const [sequence, { height }] of mined) if (height > finalHeight()) mined.delete(sequence)
      pool.clear()
    },
    finalize: () => {
      state.height += state.unfinal
    },
    /** What waits can never be executed any more. */
    expire: () => {
      for (const sequence of pool.keys()) expired.add(sequence)
      pool.clear()
    },
    /** What its follower reads. */
    heads: Layer.mock(DepositWatcher, {
      heads: () => Effect.sync(() => ({ height: state.height, hash: `0x${state.height}`, finalHeight: finalHeight() }))
    }),
    layer: Layer.mock(Treasury, {
      prepare,
      broadcast,
      outcome,
      replacing: () =>
        state.expires ? undefined : {
          judge: (_, { sequence, since, variants: [first, ...others] }, bounds, now) =>
            Effect.sync(() => {
              const bidOf = (payment: SignedPayment) => ({ maxFeePerGas: decode(payment).fee, tipPerGas: 0n })
              const market = {
                baseFeePerGas: state.baseFee,
                tipPerGas: 0n,
                headTime: Number.MAX_SAFE_INTEGER,
                nextSequence: next()
              }
              const bids = [bidOf(first), ...others.map(bidOf)] as const
              const judged = judgeReplacement({ sequence, bids, since }, market, bounds, now)
              if (judged._tag !== "Replace") return judged
              const newest = others.at(-1) ?? first
              const { gas } = decode(newest)
              const { maxFeePerGas } = judged.bid
              return {
                _tag: "Replace",
                whole: Effect.succeed(replacement(newest, maxFeePerGas, gas)),
                within: Effect.succeed(replacement(newest, maxFeePerGas, gas / maxFeePerGas))
              }
            }),
          withoutAuthorizations: (_, payment) =>
            Effect.succeed(replacement(payment, decode(payment).fee, decode(payment).gas))
        }
    })
  }
}
