/**
 * Makes a deposit, has the oracle attest it, submits the attestation to the hub, and compares the result to the unit.
 * Uses the family's own client, the oracle's HTTP API and the hub's node. Waits no longer than the chain's finality.
 */
import { addressCodec, families } from "../../../../src/domain/families/index.ts"
import { Clock, Effect, Result } from "effect"
import type { Hex } from "viem"
import { toHex } from "viem"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { orderAddress } from "../../../../src/domain/hub/OrderAddress.ts"
import { amountText } from "../demo/DemoChain.ts"
import { attest, DepositsAnswer } from "../demo/OracleApi.ts"
import type { OracleAccess } from "../demo/OracleApi.ts"
import type { HubAccess } from "../demo/Settlement.ts"
import { hubBalance } from "../demo/Wallet.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { Screen } from "../../../cli/Screen.ts"
import { submit } from "../withdraw/Submit.ts"
import type { DepositChain } from "./Depositing.ts"

export interface AttestPlan {
  readonly oracle: OracleAccess
  readonly hub: HubAccess
  readonly chain: DepositChain
  /** Smallest units of the chain's native currency. */
  readonly amount: bigint
  readonly id: Hex32
  /** Pays the gas on the hub. */
  readonly submitter: Hex
}

/** The order's account on the hub, and the token that represents the currency there. */
const onHub = ({ chain: { currency, family, id: slug }, id }: AttestPlan, depositor: string, timestamp: number) => {
  const chain = {
    slug: ChainSlug.make(slug),
    family: families[family],
    network: family === "bitcoin-vm" ? "regtest" : "mainnet"
  } as const
  return Effect.fromResult(Result.gen(function*() {
    const native = yield* addressCodec(family, chain.network).parseCurrency(currency.address)
    return {
      account: yield* orderAddress(chain, depositor, BigInt(timestamp), id),
      token: yield* hubTokenId(chain, native)
    }
  })).pipe(Effect.mapError(({ message }) => new LocalnetError({ message })))
}

/** Runs the deposit and prints it. Errors: anything that keeps it from the hub, or any unit too many or too few. */
export const run = Effect.fn("Attest.run")(function*(plan: AttestPlan, screen: Screen) {
  const { amount, chain, hub, id, oracle, submitter } = plan
  const show = (units: bigint) => amountText(units, chain.currency)
  const { besides, depositor, transactionId } = yield* chain.deposit(amount, id)
  yield* screen.line(
    `  deposit   ${show(amount)} of ${depositor} into the depository of ${chain.id}, ${screen.dim(transactionId)}`
  )
  yield* screen.line(`  for       ${id}`)
  if (besides !== undefined) yield* screen.line(`            ${besides}`)

  const since = yield* Clock.currentTimeMillis
  const body = { chainId: chain.id, transactionId }
  const { execution, messages: [message] } = yield* attest(oracle, "depository-deposits", body, DepositsAnswer)
  if (message === undefined || execution === undefined) {
    return yield* new LocalnetError({ message: "the oracle saw no deposit in it" })
  }
  const { extraData: { timestamp }, result, signature } = message
  if (result.depositId !== id || result.amount !== `${amount}`) {
    return yield* new LocalnetError({
      message: `deposited were ${show(amount)} for ${id}, but the oracle attests ${
        show(BigInt(result.amount))
      } for ${result.depositId}`
    })
  }
  yield* screen.line(
    `  attested  by oracle ${signature.oracle}, ${
      (((yield* Clock.currentTimeMillis) - since) / 1_000).toFixed(1)
    } s later; the same again:`
  )
  yield* screen.line()
  yield* screen.command(
    `curl -s ${oracle.url}/attestations/depository-deposits/v1 -H 'x-api-key: ${oracle.apiKey}' -H 'content-type: application/json' -d '${
      JSON.stringify(body)
    }'`
  )
  yield* screen.line()

  const { account, token } = yield* onHub(plan, result.depositor, timestamp)
  const owner = toHex(BigInt(account), { size: 20 })
  const block = yield* submit(hub, submitter, execution)
  const [before, after] = yield* Effect.all([
    hubBalance(hub, hub.hubAddress, owner, token, block - 1n),
    hubBalance(hub, hub.hubAddress, owner, token, block)
  ])
  if (after - before !== amount) {
    return yield* new LocalnetError({
      message: `the hub gave the order's account ${show(after - before)} instead of ${show(amount)}`
    })
  }
  yield* screen.line(`  hub       ${show(amount)} are the order's: ${account} has them as token ${token}`)
  return { transactionId, account, amount }
})
