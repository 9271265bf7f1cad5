import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { hexToBytes, recoverMessageAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { Hex } from "../../../../src/domain/encoding/Hex.ts"
import { decodeAction } from "../../../../src/domain/hub/Action.ts"
import {
  executedWithdrawalKey,
  expiredWithdrawalKey,
  initiationKey
} from "../../../../src/domain/hub/IdempotencyKey.ts"
import { withdrawalMessageId } from "../../../../src/domain/hub/Message.ts"
import { reader } from "../../../transfer/testing/Client.ts"
import type { Lie, LyingNode } from "../../../transfer/testing/LyingNode.ts"
import { falsePeer } from "../../testing/FalsePeer.ts"
import { startInstance } from "../../testing/OracleInstance.ts"
import { ethOnHub, startFixture } from "../../testing/WithdrawalFixture.ts"
import type { Execution } from "../../testing/WithdrawalFixture.ts"

class Fixture
  extends fixtureOf<Fixture>()("test/WithdrawalStage", Effect.tap(startFixture, ({ credit }) => credit(10n ** 18n)))
{}

const actionsOf = (execution: Execution | undefined) =>
  (execution?.actions ?? []).map((action) => Result.getOrThrow(decodeAction(Hex.make(action))))

/** How far the chain's clock is behind the machine's at first. The chain's clock decides. */
const LATER = 1_000

const failing: Lie = () => Promise.reject(new Error("down"))
const without = (method: string): Lie => async (call, truth) =>
  call.method === method ? { error: { code: -32_000, message: "missing trie node" } } : truth()

layer(Fixture.layer, { excludeTestServices: true })("withdrawals, from the hub to the chain and back", (it) => {
  const truth = (nodes: ReadonlyArray<LyingNode>) => nodes.forEach((node) => node.tellTheTruth())

  it.effect(
    "executed: its owner's balance waits on a hub account and is burnt there, each once, to the unit",
    () =>
      Effect.gen(function*() {
        const {
          accountOf,
          alpha,
          ask,
          asking,
          depository,
          finalise,
          headTime,
          held,
          hub,
          initiation,
          issue,
          oracleAddress,
          owner,
          ownerAlias,
          submit
        } = yield* Fixture
        const amount = 123_456_789_012_345_678n
        const before = yield* held(ownerAlias)
        const { body, claim } = yield* initiation(amount)
        const account = accountOf(claim)

        const early = yield* ask("withdrawal-initiated", claim)
        assert.deepStrictEqual([early.http, early.reason], [400, "insufficient-balance"])
        const begun = yield* ask("withdrawal-initiation", body)
        assert.strictEqual(begun.http, 200)
        assert.deepStrictEqual(begun.message, { data: body, result: { withdrawalAddress: account } })
        assert.deepStrictEqual(actionsOf(begun.execution), [{
          _tag: "Transfer",
          from: ownerAlias,
          to: account,
          tokenId: ethOnHub,
          amount
        }])
        assert.strictEqual(begun.execution?.idempotencyKey, initiationKey("hub", ethOnHub, account))
        if (begun.execution === undefined) return
        assert.strictEqual(yield* submit(begun.execution), "success")
        assert.strictEqual(yield* submit(begun.execution), "refused")
        assert.deepStrictEqual([yield* held(account), before - (yield* held(ownerAlias))], [amount, amount])
        // The hub's head shows it; its final block does not yet.
        assert.strictEqual((yield* ask("withdrawal-initiated", claim)).reason, "insufficient-balance")
        yield* finalise(hub)
        const initiated = yield* ask("withdrawal-initiated", claim)
        assert.deepStrictEqual(initiated.message, {
          data: claim,
          result: {
            withdrawalAddress: account,
            proofOfWithdrawalAddressBalance: `${account}${amount.toString(16).padStart(64, "0")}${
              claim.withdrawalNonce.slice(2)
            }`
          }
        })

        const issued = yield* issue(claim, amount, (yield* headTime) + LATER)
        const question = yield* asking(claim, issued)
        const pending = yield* ask("depository-withdrawals", question)
        assert.deepStrictEqual([pending.http, pending.status, pending.execution], [200, 0, undefined])
        const { transactionHash } = yield* issued.execute
        const unsettled = yield* ask("depository-withdrawals", question)
        assert.deepStrictEqual([unsettled.status, unsettled.execution], [0, undefined])
        // The transaction itself is found, and is not final.
        const named = yield* ask("depository-withdrawals", { ...question, transactionId: transactionHash })
        assert.deepStrictEqual([named.http, named.reason, named.confirmations, named.needed], [400, "not-final", 0, 2])
        yield* finalise(alpha)

        const executed = yield* ask("depository-withdrawals", {
          ...question,
          transactionId: ` ${transactionHash.toUpperCase().replace("0X", "0x")}`
        })
        assert.strictEqual(executed.http, 200, JSON.stringify(executed.message))
        const { message } = executed
        if (typeof message !== "object" || executed.execution === undefined) {
          return yield* Effect.die(new Error("no message or execution"))
        }
        assert.deepStrictEqual(message.data, { chainId: "alpha", withdrawal: issued.encoded })
        assert.deepStrictEqual(message.result, {
          withdrawalId: issued.id,
          depository: depository.toLowerCase(),
          status: 1
        })
        const messageId = Result.getOrThrow(withdrawalMessageId(
          { slug: "alpha" as never, family: families["ethereum-vm"], network: "mainnet" },
          { withdrawal: issued.encoded, withdrawalId: issued.id, depository: depository.toLowerCase(), status: 1 }
        ))
        const signer = yield* Effect.promise(() =>
          recoverMessageAddress({
            message: { raw: hexToBytes(messageId) },
            signature: message.signature?.signature ?? "0x"
          })
        )
        assert.deepStrictEqual([signer.toLowerCase(), message.signature?.oracle], [oracleAddress, oracleAddress])
        assert.strictEqual(executed.execution.idempotencyKey, executedWithdrawalKey(issued.id))
        assert.deepStrictEqual(actionsOf(executed.execution), [{
          _tag: "Burn",
          from: account,
          tokenId: ethOnHub,
          amount
        }])
        // Without the transaction the execution is the same, byte for byte.
        assert.deepStrictEqual((yield* ask("depository-withdrawals", question)).execution, executed.execution)
        assert.strictEqual(yield* submit(executed.execution), "success")
        assert.strictEqual(yield* submit(executed.execution), "refused")
        assert.strictEqual(yield* held(account), 0n)
        assert.strictEqual(yield* Effect.promise(() => reader(alpha).getBalance({ address: claim.recipient })), amount)
        assert.strictEqual(owner.address, claim.withdrawer)

        // A transaction that did something else did not execute it. An unknown transaction is not found.
        const other = yield* issue(claim, 1n, (yield* headTime) + LATER)
        const elsewhere = yield* other.execute
        yield* finalise(alpha)
        assert.strictEqual(
          (yield* ask("depository-withdrawals", { ...question, transactionId: elsewhere.transactionHash })).reason,
          "wrong-transaction"
        )
        assert.strictEqual(
          (yield* ask("depository-withdrawals", { ...question, transactionId: `0x${"77".repeat(32)}` })).reason,
          "not-found"
        )
        assert.strictEqual(
          (yield* ask("depository-withdrawals", { ...question, transactionId: "0x77" })).reason,
          "malformed"
        )
      }),
    shows("ethereum-vm", "withdrawal")
  )

  it.effect(
    "never executed: it goes back to its owner after its expiration, by the chain's time alone and to the second",
    () =>
      Effect.gen(function*() {
        const { ask, begin, blockAt, headTime, held, issue, asking, ownerAlias, submit } = yield* Fixture
        const before = yield* held(ownerAlias)
        // Later than the machine's clock, which is a day away from the chain's.
        const expiration = Math.floor(Date.now() / 1_000) + LATER
        assert.isBelow(yield* headTime, expiration - 80_000)
        const { account, body, claim, issued } = yield* begin(777n, expiration)
        // Expired by the machine's clock, not by the chain's.
        const overtaken = yield* issue(claim, 777n, (yield* headTime) + LATER)
        assert.isBelow((yield* headTime) + LATER, Math.floor(Date.now() / 1_000))
        assert.strictEqual((yield* ask("depository-withdrawals", yield* asking(claim, overtaken))).status, 0)

        for (const time of [expiration - 1, expiration, expiration + 1, expiration + 2]) yield* blockAt(time)
        // The final block is at the expiration.
        assert.strictEqual((yield* ask("depository-withdrawals", body)).status, 0)
        yield* blockAt(expiration + 3)
        // The final block is past it, and the head by no more than the margin of three seconds.
        const pending = yield* ask("depository-withdrawals", body)
        assert.deepStrictEqual([pending.status, pending.execution], [0, undefined])
        yield* blockAt(expiration + 4)
        const expired = yield* ask("depository-withdrawals", body)
        assert.strictEqual(expired.status, 2)
        assert.strictEqual(expired.execution?.idempotencyKey, expiredWithdrawalKey(issued.id))
        assert.deepStrictEqual(actionsOf(expired.execution), [{
          _tag: "Transfer",
          from: account,
          to: ownerAlias,
          tokenId: ethOnHub,
          amount: 777n
        }])
        if (expired.execution === undefined) return
        assert.strictEqual(yield* submit(expired.execution), "success")
        assert.strictEqual(yield* submit(expired.execution), "refused")
        assert.deepStrictEqual([yield* held(account), yield* held(ownerAlias)], [0n, before])
        // A head that is long past it does not count while the final block is not past it.
        const leapt = yield* issue(claim, 777n, expiration + 100)
        const statusOfLeapt = Effect.flatMap(asking(claim, leapt), (asked) =>
          Effect.map(ask("depository-withdrawals", asked), ({ status }) => status))
        for (const time of [expiration + 100, expiration + 500, expiration + 501]) {
          yield* blockAt(time)
        }
        assert.strictEqual(yield* statusOfLeapt, 0)
        yield* blockAt(expiration + 502)
        assert.strictEqual(yield* statusOfLeapt, 2)
        // Executing it is no longer possible.
        const late = yield* Effect.exit(issued.execute)
        assert.strictEqual(late._tag, "Failure")
      }),
    shows("ethereum-vm", "withdrawal")
  )

  it.effect(
    "an execution that a reorg removes never happened, and a final one stays executed however old its expiration is",
    () =>
      Effect.gen(function*() {
        const { alpha, ask, begin, blockAt, finalise, headTime } = yield* Fixture
        const expiration = (yield* headTime) + LATER
        const kept = yield* begin(11n, expiration)
        const lost = yield* begin(12n, expiration)
        yield* kept.issued.execute
        yield* finalise(alpha)
        const { transactionHash } = yield* lost.issued.execute
        assert.strictEqual((yield* ask("depository-withdrawals", lost.body)).status, 0)
        yield* alpha.reorg(1)
        assert.strictEqual((yield* ask("depository-withdrawals", lost.body)).status, 0)
        yield* finalise(alpha)
        assert.strictEqual(
          (yield* ask("depository-withdrawals", { ...lost.body, transactionId: transactionHash })).reason,
          "not-found"
        )
        for (const past of [10, 11, 12]) yield* blockAt(expiration + past)
        const [stays, back] = [
          yield* ask("depository-withdrawals", kept.body),
          yield* ask("depository-withdrawals", lost.body)
        ]
        assert.deepStrictEqual([stays.status, actionsOf(stays.execution)[0]?._tag], [1, "Burn"])
        assert.deepStrictEqual([back.status, actionsOf(back.execution)[0]?._tag], [2, "Transfer"])
      }),
    shows("ethereum-vm", "withdrawal", "reorg")
  )

  it.effect(
    "lagging, lying, failing endpoints, or ones without old state, never make a withdrawal expired or unused; readiness reports them",
    () =>
      Effect.gen(function*() {
        const { alpha, ask, begin, blockAt, finalise, headTime, nodes, oracle } = yield* Fixture
        const [one, two, three] = nodes
        if (one === undefined || two === undefined || three === undefined) return
        const expiration = (yield* headTime) + LATER
        const executed = yield* begin(21n, expiration)
        const unused = yield* begin(22n, expiration)
        const height = yield* alpha.height
        const old: Lie = async ({ method, params }, truthful) => {
          const tag = params?.[0]
          if (method !== "eth_getBlockByNumber" || (tag !== "latest" && tag !== "finalized")) return truthful()
          return one.ask({ id: 1, method, params: [`0x${height.toString(16)}`, false] })
        }
        const used = (says: boolean): Lie => async (call, truthful) =>
          call.method === "eth_call" ? { result: `0x${(says ? "1" : "0").padStart(64, "0")}` } : truthful()
        yield* executed.issued.execute
        yield* finalise(alpha)
        // More than an endpoint may lag before the others are waited for, so that the result does not depend on which
        // is fastest.
        yield* alpha.mine(20)
        for (const past of [10, 11, 12]) yield* blockAt(expiration + past)
        const statusOf = Effect.fnUntraced(function*(body: unknown) {
          const { http, retryable, status } = yield* ask("depository-withdrawals", body)
          return http === 200 ? status : [http, retryable]
        })
        const both = Effect.all([statusOf(executed.body), statusOf(unused.body)])
        assert.deepStrictEqual(yield* both, [1, 2])
        // One of three that lags, lies or is down changes nothing.
        for (const lie of [old, used(false), used(true), failing, without("eth_call")]) {
          one.lie(lie)
          assert.deepStrictEqual(yield* both, [1, 2])
        }
        one.hang()
        assert.deepStrictEqual(yield* both, [1, 2])
        // Two that lag: the quorum is at an older block, where nothing was executed and nothing had expired.
        for (const node of [one, two]) node.lie(old)
        assert.deepStrictEqual(yield* both, [0, 0])
        truth(nodes)
        // One against one is no majority: an alarm, and no attestation.
        one.lie(failing)
        two.lie(used(false))
        assert.deepStrictEqual(yield* statusOf(executed.body), [503, false])
        // Without the state of the final block the result is unknown, never "unused".
        for (const node of [one, two]) node.lie(without("eth_call"))
        assert.deepStrictEqual(yield* both, [[503, true], [503, true]])
        const ready = yield* Effect.promise(() => fetch(`${oracle.url}/ready/v1`).then((response) => response.json()))
        assert.deepStrictEqual(ready, {
          status: "ready",
          signer: (ready as { signer: string }).signer,
          shadow: false,
          peers: { active: 0, shadows: 0, signers: null, threshold: null, warnings: [] },
          chains: [{
            id: "alpha",
            observed: true,
            needed: 2,
            endpoints: 3,
            answering: 3,
            weak: false,
            withdrawals: 1,
            companions: [],
            configuration: "confirmed",
            problems: []
          }],
          hubs: [{
            id: "hub",
            needed: 1,
            endpoints: 1,
            answering: 1,
            weak: true,
            configuration: "confirmed",
            problems: []
          }]
        })
        // A result that a depository would not return is not a fact.
        for (const result of ["0x", "0x1", `0x${"2".padStart(64, "0")}`, null, `0x${"0".repeat(128)}`]) {
          for (const node of [one, two]) {
            node.lie(async (call, truthful) => call.method === "eth_call" ? { result } : truthful())
          }
          assert.deepStrictEqual(yield* statusOf(unused.body), [503, true], String(result))
        }
        truth(nodes)
        assert.deepStrictEqual(yield* both, [1, 2])
      }),
    shows("ethereum-vm", "withdrawal")
  )

  it.effect("nothing is signed for a request that the allocator did not issue or the withdrawal does not pay, and no chain is read for it", () =>
    Effect.gen(function*() {
      const { alpha, ask, begin, finalise, headTime, hubNode, issue, nodes, owner } = yield* Fixture
      const { account, body, claim, issued } = yield* begin(31n, (yield* headTime) + LATER)
      yield* issued.execute
      yield* finalise(alpha)
      const another = yield* issue(claim, 32n, (yield* headTime) + LATER)
      const { withdrawalAddressRequest: right } = body
      const { issuance: _, ...unissued } = right

      const calls = () => [...nodes, hubNode].reduce((sum, node) => sum + node.calls(), 0)
      const before = calls()
      const forged: Readonly<Record<string, object>> = {
        "by nobody": { issuance: `0x${"11".repeat(65)}` },
        "by somebody else": { issuance: yield* issued.issuance({ key: generatePrivateKey() }) },
        "for another withdrawal": { issuance: yield* another.issuance() },
        "for another account": { issuance: yield* issued.issuance({ account: `0x${"22".repeat(20)}` }) },
        "for another hub": { issuance: yield* issued.issuance({ hub: 1n }) },
        "for another gate": { issuance: yield* issued.issuance({ gate: `0x${"33".repeat(20)}` }) },
        "with another nonce": { withdrawalNonce: `0x${"44".repeat(32)}` },
        "with another owner": { withdrawer: `0x${"55".repeat(20)}` }
      }
      for (const [name, change] of Object.entries(forged)) {
        const answer = yield* ask("depository-withdrawals", {
          ...body,
          withdrawalAddressRequest: { ...right, ...change }
        })
        assert.deepStrictEqual(
          [answer.http, answer.reason, answer.execution],
          [400, "invalid-issuance", undefined],
          name
        )
      }
      const mismatched: Readonly<Record<string, readonly [object, string]>> = {
        "another chain": [{ chainId: "beta" }, "request-mismatch"],
        "another currency": [{ currency: `0x${"66".repeat(20)}` }, "request-mismatch"],
        "another recipient": [{ recipient: owner.address }, "request-mismatch"],
        "an owner on a chain that is not served": [{ withdrawerChainId: "beta" }, "unknown-chain"],
        "an owner that is none": [{ withdrawer: "nobody" }, "malformed"],
        "a recipient with a wrong checksum": [{ recipient: `0x${"Aa".repeat(20)}` }, "malformed"]
      }
      for (const [name, [change, reason]] of Object.entries(mismatched)) {
        for (const request of [right, unissued]) {
          const answer = yield* ask("depository-withdrawals", {
            ...body,
            withdrawalAddressRequest: { ...request, ...change }
          })
          assert.deepStrictEqual([answer.http, answer.reason, answer.execution], [400, reason, undefined], name)
        }
      }
      for (
        const [withdrawal, chainId, reason] of [["0x1234", "alpha", "invalid-withdrawal"], [
          `${body.withdrawal}00`,
          "alpha",
          "invalid-withdrawal"
        ], [body.withdrawal, "moon", "unknown-chain"]] as const
      ) {
        assert.strictEqual((yield* ask("depository-withdrawals", { ...body, withdrawal, chainId })).reason, reason)
      }
      assert.strictEqual(calls(), before)

      // A request without the issuance, or without a withdrawal request for the hub, gets the message and no execution.
      for (
        const asked of [{ ...body, withdrawalAddressRequest: unissued }, {
          chainId: "alpha",
          withdrawal: body.withdrawal
        }]
      ) {
        const told = yield* ask("depository-withdrawals", asked)
        assert.deepStrictEqual([told.http, told.status, told.execution], [200, 1, undefined])
      }
      const issuedOne = yield* ask("depository-withdrawals", body)
      assert.deepStrictEqual(actionsOf(issuedOne.execution), [{
        _tag: "Burn",
        from: account,
        tokenId: ethOnHub,
        amount: 31n
      }])
      assert.isAbove(calls(), before)
    }))

  it.effect("peers cosign initiations and burns, if there is an execution to sign", () =>
    Effect.gen(function*() {
      const { askOf, alpha, begin, environment, finalise, headTime, initiation, oracle, oracleAddress } = yield* Fixture
      const key = generatePrivateKey()
      const peer = yield* falsePeer(oracle.url, "any")
      const { HTTP_PORT: _first, ...shared } = environment
      const cosigning = yield* startInstance({ ...shared, ECDSA_PRIVATE_KEY: key, PEERS: `${peer.url}|any` })
      const ask = askOf(cosigning.url)
      const both = [privateKeyToAccount(key).address.toLowerCase(), oracleAddress].toSorted()
      const signers = (execution: Execution | undefined) =>
        execution?.signatures.map(({ oracleSigner }) => oracleSigner)
      const requestPeerSignatures = true

      const { body } = yield* initiation(3n)
      assert.deepStrictEqual(
        signers((yield* ask("withdrawal-initiation", { ...body, requestPeerSignatures })).execution),
        both
      )
      const { body: question, issued } = yield* begin(17n, (yield* headTime) + LATER)
      yield* issued.execute
      yield* finalise(alpha)
      const before = peer.asked().length
      const told = yield* ask("depository-withdrawals", { ...question, requestPeerSignatures })
      assert.deepStrictEqual([told.status, signers(told.execution)], [1, both])
      assert.strictEqual(peer.asked().length, before + 1)
      // No peer is asked for a claim that has no execution or is refused here.
      const { issuance, ...unissued } = question.withdrawalAddressRequest
      for (
        const [path, claim] of [
          ["depository-withdrawals", { ...question, withdrawalAddressRequest: unissued }],
          ["depository-withdrawals", {
            ...question,
            withdrawalAddressRequest: { ...unissued, issuance: `${issuance.slice(0, -2)}00` }
          }],
          ["withdrawal-initiation", { ...body, recipient: `0x${"77".repeat(20)}` }]
        ] as const
      ) yield* ask(path, { ...claim, requestPeerSignatures })
      assert.strictEqual(peer.asked().length, before + 1)
    }))

  it.effect("none starts without its owner's signature over every field, or beyond the balance; without the hub there is no answer", () =>
    Effect.gen(function*() {
      const { ask, environment, held, hubNode, initiation, nodes, ownerAlias } = yield* Fixture
      const { body } = yield* initiation(5n)
      const calls = () => [...nodes, hubNode].reduce((sum, node) => sum + node.calls(), 0)
      const before = calls()
      const changes: Readonly<Record<string, readonly [object, string | undefined]>> = {
        "more": [{ expectedAmount: "6" }, "wrong-signature"],
        "another spelling of the amount": [{ expectedAmount: "05" }, "malformed"],
        "nothing": [{ expectedAmount: "0" }, "zero-amount"],
        "another hub": [{ settlementChainId: "alpha" }, "unknown-chain"],
        "another chain": [{ chainId: "beta" }, "unknown-chain"],
        "another currency": [{ currency: `0x${"66".repeat(20)}` }, "wrong-signature"],
        "another recipient": [{ recipient: `0x${"77".repeat(20)}` }, "wrong-signature"],
        "another nonce": [{ withdrawalNonce: `0x${"88".repeat(32)}` }, "wrong-signature"],
        "another owner": [{ withdrawer: `0x${"99".repeat(20)}` }, "wrong-signature"],
        "another spelling of the owner": [{ withdrawer: body.withdrawer.toLowerCase() }, "wrong-signature"],
        "another chain of the owner": [{ withdrawerChainId: "beta" }, "unknown-chain"],
        "another signature": [{ signature: `0x${"11".repeat(65)}` }, "wrong-signature"],
        "a nonce in capitals": [{ withdrawalNonce: `0x${"AB".repeat(32)}` }, undefined],
        "no signature": [{ signature: undefined }, undefined],
        "an amount that is a number": [{ expectedAmount: 5 }, undefined]
      }
      for (const [name, [change, reason]] of Object.entries(changes)) {
        const answer = yield* ask("withdrawal-initiation", { ...body, ...change })
        assert.deepStrictEqual([answer.http, answer.reason, answer.execution], [400, reason, undefined], name)
      }
      assert.strictEqual(calls(), before)
      const all = yield* held(ownerAlias)
      const [whole, more] = [yield* initiation(all), yield* initiation(all + 1n)]
      assert.strictEqual((yield* ask("withdrawal-initiation", whole.body)).http, 200)
      assert.strictEqual((yield* ask("withdrawal-initiation", more.body)).reason, "insufficient-balance")
      hubNode.lie(without("eth_call"))
      for (
        const [path, asked] of [["withdrawal-initiation", whole.body], ["withdrawal-initiated", whole.claim]] as const
      ) {
        const answer = yield* ask(path, asked)
        assert.deepStrictEqual([answer.http, answer.retryable, answer.execution], [503, true, undefined])
      }
      hubNode.lie(async (call, truthful) => call.method === "eth_chainId" ? { result: "0x1" } : truthful())
      assert.strictEqual((yield* ask("withdrawal-initiation", whole.body)).http, 503)
      hubNode.tellTheTruth()
      assert.strictEqual((yield* ask("withdrawal-initiation", whole.body)).http, 200)
      assert.strictEqual(environment.CHAINS, "alpha")
    }))
})
