/**
 * The sweep of a deposit address, ready to be signed (EXCHANGEA-31): the address's own transfer to the depository, the
 * mapping of its nonce to the order, and where the transfer would empty the account, the solver's transfer of the
 * residue that keeps it.
 *
 * The three are signed and stored together, under one nonce of the solver's account, which is also the address's. So a
 * kill between them changes nothing: the stored bytes are sent on.
 */
import { Effect, Result } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { PreparedPayment } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { findCurrency } from "../../../src/domain/chain/Chain.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import {
  countedUnits,
  keepsAccount,
  RESIDUE,
  residueTransfer,
  SPOT_USDC
} from "../../../src/domain/families/exchange-a/addresses/Residue.ts"
import { writeDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { transferDigest } from "../../../src/domain/families/exchange-a/payment/TransferDigest.ts"
import { confirmedSequence } from "../../endpoints/sent/ConfirmedSequence.ts"
import { networkOf } from "../observe/ReadTransaction.ts"
import { confirmedTime, nearClock } from "../pay/NonceTime.ts"
import { spendableOnPerps } from "../pay/Preparing.ts"
import { readAsset } from "../pay/ReadAsset.ts"
import { signPayment } from "../pay/SignTransfer.ts"
import type { SolverAccount } from "../pay/SolverAccount.ts"
import { readTransferable } from "../quote/Balance.ts"
import type { ExchangeARpc } from "../rpc/ExchangeARpc.ts"

/** SECURITY: with another seed, or another row of the store, the money would be another address's. */
const keyOf = Effect.fnUntraced(
  function*({ depositAccount }: SolverAccount["Service"], { sweep: { address, key } }: SweepPayment) {
    if (depositAccount === undefined || key === undefined) {
      return yield* Effect.die(new Error("a process without the seed of deposit addresses was to sweep one"))
    }
    const account = yield* depositAccount(key)
    return account.account === address ? account : yield* Effect.die(
      new Error(`the key of the deposit address ${address} does not follow from the seed that this process has`)
    )
  }
)

const refused = new PaymentRefused({ reason: "reverts" })

export const sweepPreparation = (rpc: ExchangeARpc["Service"], solver: SolverAccount["Service"]) =>
  Effect.fnUntraced(function*(
    payment: SweepPayment
  ): Effect.fn.Return<PreparedPayment, ChainUnavailable | PaymentRefused | SignerUnavailable> {
    const { chain, sweep: { address, currency: swept, depositId, units } } = payment
    const key = yield* keyOf(solver, payment)
    const currency = findCurrency(chain, swept)
    if (currency === undefined) return yield* refused
    const { asset, onPerps, onSpot } = yield* rpc.call(
      chain,
      "sweep preparation",
      ({ read }) =>
        read((client, deadline) =>
          Effect.all({
            asset: readAsset(client, currency, deadline),
            onPerps: readTransferable(client, solver.account, chain.native, "", deadline),
            onSpot: readTransferable(client, address, SPOT_USDC, "USDC", deadline)
          }, { concurrency: "unbounded" })
        )
    )
    // SECURITY: the quorum must have the money. A transfer of more would wait for two days until it is dead.
    const [now, held] = yield* Effect.all([
      confirmedTime(rpc, chain),
      confirmedSequence(
        rpc,
        chain,
        ({ read }) => read((client, deadline) => readTransferable(client, address, currency, asset.name, deadline)),
        "money of a deposit address"
      )
    ], { concurrency: 2 })
    // What came after the balance was seen is another deposit.
    const amount = countedUnits(currency, units === undefined || units > held ? held : units)
    if (amount === 0n) return yield* refused
    const isKept = keepsAccount(onSpot, { amount, currency: swept })
    if (!isKept && spendableOnPerps(onPerps) < RESIDUE) {
      return yield* new PaymentRefused({ reason: "insufficient-funds" })
    }
    const hyperliquidChain = networkOf(chain)
    const residueOf = (nonce: bigint) =>
      Effect.map(
        solver.sign(Result.getOrThrow(transferDigest(residueTransfer(hyperliquidChain, address, nonce)))),
        (signature) => ({ residue: hexFromBytes(signature) })
      )
    return {
      account: solver.account,
      chainSequence: now,
      costs: isKept ? [] : [{
        holder: solver.account,
        currency: chain.native.address,
        amount: RESIDUE,
        balance: spendableOnPerps(onPerps)
      }],
      sign: nearClock(now, (nonce) =>
        Effect.gen(function*() {
          const sweep = { address, ...(isKept ? {} : yield* residueOf(nonce)) }
          const transfer = {
            _tag: "SendAsset",
            hyperliquidChain,
            destination: chain.depository,
            sourceDex: asset.dex,
            destinationDex: asset.dex,
            token: asset.token,
            amount: writeDecimal(amount, asset.decimals),
            fromSubAccount: "",
            nonce
          } as const
          return yield* signPayment(key, chain, { transfer, order: depositId, sweep })
        }))
    }
  })
