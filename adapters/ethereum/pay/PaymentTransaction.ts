/**
 * A payment as an EVM transaction (SAFE-3, EVM-5).
 *
 * - Plain: native value to the recipient with the order id as data, or an ERC-20 transfer with the order id appended.
 *   Needs no contract and leaves no allowance.
 * - With calls: the solver's vault funds the router. The router runs the calls from a throw-away executor and sends
 *   what is left to the recipient. The order id is at the end of the calldata.
 * - With a gas topup, or where requested: the vault pays the recipient, and native currency goes through the router,
 *   whose event proves it.
 * - A submission: the gate of a hub executes what oracles have signed, several executions at once through Multicall3.
 * - A permit: the Forwarder makes the deposit that its owner has signed.
 * - A sweep: the factory of deposit addresses sweeps an address, for its own order or, as the factory's operator, for a
 *   later one.
 */
import { encodeFunctionData, concat, erc20Abi, multicall3Abi, parseAbi, zeroAddress } from "viem"
import type { Hex } from "viem"
import { callsIn, holdingOf, topupIn } from "../../../ports/chain/PaymentKinds.ts"
import type {
  FallbackPayment,
  FillPayment,
  Payment,
  PlainPayment,
  SubmissionCall,
  SweepCall
} from "../../../ports/chain/PaymentKinds.ts"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { SignedCall } from "../../../src/domain/hub/settling/Packing.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { abi as factoryAbi } from "../contracts/artifacts/DepositAddresses.ts"
import { abi as gateAbi } from "../contracts/artifacts/OracleGate.ts"
import { abi as vaultAbi } from "../contracts/artifacts/Vault.ts"
import { multicall3 } from "../rpc/Multicall3.ts"
import { permitBody } from "./PermitTransaction.ts"
import { viemHex } from "../rpc/ViemHex.ts"

export interface TransactionBody {
  readonly to: Hex
  readonly value: bigint
  readonly data: Hex
  /** EIP-7702: with it the transaction has type 4. */
  readonly authorizationList?: ReadonlyArray<AuthorizationEntry>
}

/** An authorization in a transaction's form. */
interface AuthorizationEntry {
  readonly chainId: number
  readonly address: Hex
  readonly nonce: number
  readonly yParity: 0 | 1
  readonly r: Hex
  readonly s: Hex
}

/** Leg 0 in the vault's books is the fill or the fallback in its place, never both. Refunds have no calls. */
const FILL_LEG = 0n

type Delivery = FallbackPayment | FillPayment

const plainBody = ({ amount, currency, orderId, recipient }: Delivery | PlainPayment): TransactionBody =>
  currency.isNative
    ? { to: viemHex(recipient), value: amount, data: viemHex(orderId) }
    : {
      to: viemHex(currency.address),
      value: 0n,
      data: concat([
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [viemHex(recipient), amount] }),
        viemHex(orderId)
      ])
    }

/**
 * Calls may leave other tokens than they were given. The recipient gets every configured one, and the result of a swap.
 */
const leftoversOf = (
  configured: ReadonlyArray<Currency>,
  { address }: Currency,
  leftover: CurrencyAddress | undefined
): ReadonlyArray<Hex> => [
  ...configured.filter((currency) => !currency.isNative && currency.address !== address).map((currency) =>
    viemHex(currency.address)
  ),
  ...(leftover === undefined ? [] : [viemHex(leftover)])
]

const vaultBody = (payment: Delivery, vault: Address, router: Address): TransactionBody => {
  const { amount, chain, currency, orderId, recipient, topup } = payment
  const calls = callsIn(payment)
  return {
    to: viemHex(vault),
    value: 0n,
    data: concat([
      encodeFunctionData({
        abi: vaultAbi,
        functionName: "fill",
        args: [viemHex(orderId), FILL_LEG, {
          payments: [
            {
              recipient: viemHex(calls === undefined ? recipient : router),
              token: currency.isNative ? zeroAddress : viemHex(currency.address),
              amount
            },
            ...(topup === 0n ? [] : [{ recipient: viemHex(recipient), token: zeroAddress, amount: topup }])
          ],
          calls: (calls?.list ?? []).map(({ data, to, value }) => ({ to: viemHex(to), data: viemHex(data), value })),
          leftovers: calls === undefined ? [] : leftoversOf(chain.currencies, currency, calls.leftover),
          recipient: viemHex(recipient)
        }]
      }),
      viemHex(orderId)
    ])
  }
}

/** The factory's functions take the currency last: only payments may end with an order id in their calldata. */
const sweepBody = ({ currency, depositId, depositor, orderId }: SweepCall, factory: Address): TransactionBody => {
  const [order, account, id, token] = [viemHex(orderId), viemHex(depositor), viemHex(depositId), viemHex(currency)]
  return {
    to: viemHex(factory),
    value: 0n,
    data: depositId === orderId
      ? encodeFunctionData({ abi: factoryAbi, functionName: "sweep", args: [order, account, token] })
      : encodeFunctionData({ abi: factoryAbi, functionName: "sweepFor", args: [order, account, id, token] })
  }
}

/** The function of a gate with one oracle (EXEC-7). */
const oracleGateAbi = parseAbi([
  "struct Execution { bytes32 idempotencyKey; bytes[] actions; }",
  "function execute(Execution execution, address oracle, bytes signature)"
])

/** Signatures are ascending by signer. For a contract they are concatenated; for an account there is exactly one. */
const executeData = ({ actions, idempotencyKey, oracle, signatures }: SignedCall): Hex => {
  const execution = { idempotencyKey: viemHex(idempotencyKey), actions: actions.map(viemHex) }
  return oracle === undefined
    ? encodeFunctionData({ abi: gateAbi, functionName: "execute", args: [execution, signatures.map(viemHex)] })
    : encodeFunctionData({
      abi: oracleGateAbi,
      functionName: "execute",
      args: [execution, viemHex(oracle), concat(signatures.map(viemHex))]
    })
}

/**
 * A gate's call for each execution. `strict`: one failing execution fails all. They are tried this way before they are
 * signed.
 */
const submissionBody = ({ calls, gate, together }: SubmissionCall, strict: boolean): TransactionBody | undefined => {
  const target = viemHex(gate)
  const all = calls.map(executeData)
  const [only, ...others] = all
  if (only === undefined) return undefined
  if (!together) return others.length > 0 ? undefined : { to: target, value: 0n, data: only }
  return {
    to: viemHex(multicall3),
    value: 0n,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [all.map((callData) => ({ target, allowFailure: !strict, callData }))]
    })
  }
}

/**
 * The body that is estimated. Where a part may fail silently, an estimate of the real body would be the gas of failing.
 */
export const strictBody = (payment: Payment): TransactionBody | undefined =>
  payment._tag === "Submission" ? submissionBody(payment.submission, true) : undefined

/** The body with the payment's authorizations, if any. */
const withAuthorizations = (body: TransactionBody, { authorizations }: Delivery): TransactionBody =>
  authorizations.length === 0 ? body : {
    ...body,
    authorizationList: authorizations.map(({ address, r, s, ...rest }) => ({
      ...rest,
      address: viemHex(address),
      r: viemHex(r),
      s: viemHex(s)
    }))
  }

/**
 * Undefined for calls on a chain without vault or router, for a sweep on a chain without a factory, and for a permit
 * with an impossible signature. No quote needs any of these.
 */
export const paymentBody = (payment: Payment): TransactionBody | undefined => {
  const { depositAddresses, router, vault } = payment.chain
  switch (payment._tag) {
    case "Submission":
      return submissionBody(payment.submission, false)
    case "Sweep":
      return depositAddresses?.factory === undefined ? undefined : sweepBody(payment.sweep, payment.recipient)
    case "Permit":
      return permitBody(payment.permit)
    case "Refund":
    case "Excess":
    case "Payout":
      return plainBody(payment)
    case "Fill":
    case "Fallback":
      if (holdingOf(payment) === "account") return withAuthorizations(plainBody(payment), payment)
      return router === undefined || vault === undefined
        ? undefined
        : withAuthorizations(vaultBody(payment, vault, router), payment)
  }
}

/** The amount that the payment moves of each currency, each currency once. */
export const movedBy = (payment: Payment): ReadonlyArray<{ readonly currency: Currency; readonly amount: bigint }> => {
  const { amount, chain, currency } = payment
  const topup = topupIn(payment)
  return currency.isNative
    ? [{ currency, amount: amount + topup }]
    : [{ currency, amount }, ...(topup === 0n ? [] : [{ currency: chain.native, amount: topup }])]
}
