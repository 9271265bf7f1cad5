/**
 * Shared by every family's fixture: a hub with its gate on anvil, an oracle configured by environment variables alone,
 * orders signed by a solver, and the gate's answer to what the oracle signed.
 */
import { families } from "../../../src/domain/families/index.ts"
import { Effect, Result, Schema } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { viemHex } from "../../../adapters/ethereum/rpc/ViemHex.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32, hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import type { VmFamily } from "../../../src/domain/chain/VmFamily.ts"
import { Order } from "../../../src/domain/order/Order.ts"
import { orderId } from "../../../src/domain/order/OrderId.ts"
import { alias } from "../../../src/domain/hub/Alias.ts"
import type { ChainRef } from "../../../src/domain/hub/ChainRef.ts"
import { hubTokenId } from "../../../src/domain/hub/HubTokenId.ts"
import { issuanceHash } from "../../../src/domain/hub/Issuance.ts"
import { withdrawalAddress } from "../../../src/domain/hub/withdrawal/WithdrawalAddress.ts"
import { initiationHash } from "../../../src/domain/hub/withdrawal/WithdrawalInitiation.ts"
import { hubAddressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { deployHub } from "../../localnet/nodes/ethereum/Deployment.ts"
import { generate } from "../../localnet/run/state/Keys.ts"
import { partiesOf } from "../../localnet/run/Network.ts"
import { chainIdOf } from "../../localnet/run/Slug.ts"
import { post } from "../../transfer/testing/Client.ts"
import { startInstance } from "./OracleInstance.ts"
import { Execution, heldOnHub, submitTo } from "../../transfer/testing/Gate.ts"

const DepositResult = Schema.Struct({
  onchainId: Schema.String,
  depository: Schema.String,
  depositId: Schema.String,
  depositor: Schema.String,
  currency: Schema.String,
  amount: Schema.String
})
const Answer = Schema.Struct({
  message: Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Struct({ result: Schema.Record(Schema.String, Schema.Json) })])
  ),
  messages: Schema.optionalKey(
    Schema.Array(Schema.Struct({ result: DepositResult, extraData: Schema.Struct({ timestamp: Schema.Int }) }))
  ),
  execution: Schema.optionalKey(Execution),
  reason: Schema.optionalKey(Schema.String),
  retryable: Schema.optionalKey(Schema.Boolean),
  confirmations: Schema.optionalKey(Schema.Int),
  needed: Schema.optionalKey(Schema.Int)
})

/** The answer, with its HTTP status. */
export type HubAnswer = typeof Answer.Type & { readonly http: number }

export interface HubFixtureOptions {
  readonly slug: string
  readonly family: VmFamily
  /** `mainnet` when undefined. */
  readonly network?: ChainRef["network"]
  /** Spelled as in the family. */
  readonly native: string
  readonly depository: string
  readonly environment: Readonly<Record<string, string>>
}

/** A family's withdrawal that its allocator issued, in the form in which the oracle is asked about it. */
export interface IssuedWithdrawal {
  readonly encoded: string
  readonly id: Hex32
  readonly recipient: string
  readonly currency: string
}

export const startHubFixture = Effect.fnUntraced(
  function*({ depository, environment: given, family, native, network = "mainnet", slug }: HubFixtureOptions) {
    const keys = yield* generate
    const parties = partiesOf(keys)
    const hub = yield* Anvil.start({ chainId: chainIdOf.hub, accounts: 0 })
    yield* deployHub(hub, parties)
    const environment = {
      ENVIRONMENT: "local",
      CHAINS: `alpha,${slug}`,
      ALPHA_RPC_URL: "http://127.0.0.1:9",
      HUB_RPC_URL: hub.url,
      HUB_ALLOCATOR: parties.allocator,
      ECDSA_PRIVATE_KEY: keys.oracle,
      ...given
    }
    const oracle = yield* startInstance(environment)
    const ref: ChainRef = { slug: ChainSlug.make(slug), family: families[family], network }
    const codec = families[family].addresses(network)
    const ownerKey = generatePrivateKey()
    const owner = privateKeyToAccount(ownerKey)

    /** A signed order from a currency to the given payment; `changes` are made before signing. */
    const order = Effect.fnUntraced(
      function*(
        amount: bigint,
        payment: { readonly recipient: string; readonly currency?: string; readonly amount: bigint },
        deadline: number,
        changes: object = {},
        currency: string = native
      ) {
        const encoded = {
          version: "v1",
          solverChainId: "alpha",
          solver: owner.address.toLowerCase(),
          salt: generatePrivateKey(),
          inputs: [{
            payment: { chainId: slug, currency, amount: `${amount}`, weight: "1" },
            refunds: [{
              chainId: slug,
              recipient: native,
              currency,
              minimumAmount: `${amount}`,
              deadline,
              extraData: "0x"
            }]
          }],
          output: {
            chainId: slug,
            payments: [{
              recipient: payment.recipient,
              currency: payment.currency ?? native,
              minimumAmount: `${payment.amount}`,
              expectedAmount: `${payment.amount}`
            }],
            calls: [],
            deadline,
            extraData: "0x",
            ...changes
          },
          fees: []
        }
        const id = Result.getOrThrow(
          orderId(
            Schema.decodeUnknownSync(Order)(encoded),
            (of) => of === slug ? families[family] : of === "alpha" ? families["ethereum-vm"] : undefined,
            network
          )
        )
        const orderSignature = yield* Effect.promise(() => owner.signMessage({ message: { raw: hexToBytes(id) } }))
        return { id, order: encoded, orderSignature }
      }
    )

    const ask = Effect.fnUntraced(function*(path: string, body: unknown, url = oracle.url) {
      const answer = yield* post(`${url}/attestations/${path}/v1`, body)
      return { ...Schema.decodeUnknownSync(Answer)(answer.json()), http: answer.status } satisfies HubAnswer
    })
    const askDeposits = (transactionId: string, url?: string) =>
      ask("depository-deposits", { chainId: slug, transactionId }, url)

    const submitterKey = keys.accounts[0] ?? "0x"
    /** The gate's answer; it reverts when it refuses. */
    const submit = (execution: HubAnswer["execution"]) =>
      execution === undefined ? Effect.succeed("no execution" as const) : submitTo(hub, submitterKey, execution)
    const held = (account: string, currency = native) =>
      heldOnHub(
        hub,
        viemHex(account),
        Result.getOrThrow(hubTokenId(ref, Result.getOrThrow(codec.parseCurrency(currency))))
      )
    const aliasOf = (account: string) => Result.getOrThrow(alias(ref, account))
    const ownerAlias = Result.getOrThrow(
      alias(
        { slug: ChainSlug.make("alpha"), family: families["ethereum-vm"], network: "mainnet" },
        owner.address.toLowerCase()
      )
    )

    /** The request of an issued withdrawal, and the hub account that it empties. */
    const issued = Effect.fnUntraced(function*({ currency, encoded, id, recipient }: IssuedWithdrawal) {
      const withdrawalNonce = Hex32.make(generatePrivateKey())
      const account = Result.getOrThrow(withdrawalAddress(ref, {
        depository: Result.getOrThrow(codec.parse(depository)),
        currency: Result.getOrThrow(codec.parseCurrency(currency)),
        recipient: Result.getOrThrow(codec.parse(recipient)),
        ownerAlias,
        nonce: withdrawalNonce
      }))
      const hash = Result.getOrThrow(
        issuanceHash({
          hubChainId: BigInt(chainIdOf.hub),
          oracleContract: hubAddressOf("OracleGate").toLowerCase(),
          withdrawalAddress: account,
          withdrawalId: id
        })
      )
      const issuance = yield* Effect.promise(() =>
        privateKeyToAccount(keys.allocator).signMessage({ message: { raw: hexToBytes(hash) } })
      )
      return {
        account,
        body: {
          chainId: slug,
          withdrawal: encoded,
          withdrawalAddressRequest: {
            chainId: slug,
            currency,
            withdrawer: owner.address,
            withdrawerChainId: "alpha",
            recipient,
            withdrawalNonce,
            issuance
          }
        }
      }
    })

    /** Moves an amount of the owner's on the hub to the account of an issued withdrawal. Returns the gate's answer. */
    const initiate = Effect.fnUntraced(
      function*(
        amount: bigint,
        { withdrawalAddressRequest: { currency, recipient, withdrawalNonce } }: Effect.Success<
          ReturnType<typeof issued>
        >["body"]
      ) {
        const claim = {
          settlementChainId: "hub",
          expectedAmount: `${amount}`,
          chainId: slug,
          currency,
          withdrawer: owner.address,
          withdrawerChainId: "alpha",
          recipient,
          withdrawalNonce
        }
        const hash = initiationHash({
          settlementChainId: "hub",
          chainId: slug,
          currency,
          amount: claim.expectedAmount,
          ownerChainId: "alpha",
          owner: owner.address,
          recipient,
          nonce: withdrawalNonce
        })
        const signature = yield* Effect.promise(() => owner.signMessage({ message: { raw: hexToBytes(hash) } }))
        const { execution } = yield* ask("withdrawal-initiation", { ...claim, signature })
        return yield* submit(execution)
      }
    )

    /** The withdrawal's status, and the action on the hub: BURN is 1, TRANSFER 2. */
    const standing = Effect.fnUntraced(function*(body: object, url?: string) {
      const { execution, http, message, reason } = yield* ask("depository-withdrawals", body, url)
      if (http !== 200) return `${http} ${reason ?? ""}`.trim()
      const status = typeof message === "object" ? JSON.stringify(message.result["status"]) : "?"
      return execution === undefined ? status : `${status}, ${Number(`0x${execution.actions[0]?.slice(2, 66) ?? ""}`)}`
    })

    return {
      ref,
      hub,
      oracle,
      keys,
      owner,
      ownerKey,
      ownerAlias,
      order,
      ask,
      askDeposits,
      submit,
      held,
      aliasOf,
      issued,
      initiate,
      standing,
      startOracle: (changes: Readonly<Record<string, string>>) => startInstance({ ...environment, ...changes })
    }
  }
)

/** HTTP status and reason of a refusal. */
export const outcomeOf = ({ http, reason }: HubAnswer): readonly [number, string] => [http, reason ?? "signed"]

/** The id, depositor, currency and amount of each attested deposit. */
export const depositedOf = ({ messages = [] }: Pick<HubAnswer, "messages">) =>
  messages.map(({ result: { amount, currency, depositId, depositor } }) => [depositId, depositor, currency, amount])
