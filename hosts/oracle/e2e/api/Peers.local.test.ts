/**
 * Oracles that gather each other's signatures, on a real chain. Two run as processes; those that ask other peers run in
 * the test's process. Lying peers are simulated at the wire, in front of a real oracle.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema } from "effect"
import { generatePrivateKey, sign } from "viem/accounts"
import type { Hex } from "viem"
import { hashTypedData } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { post } from "../../../transfer/testing/Client.ts"
import { lyingNode } from "../../../transfer/testing/LyingNode.ts"
import { eventually } from "../../../transfer/testing/Misbehaving.ts"
import { changed, falsePeer, flooding, floodedBytes, honest, silent } from "../../testing/FalsePeer.ts"
import type { Behaviour, FalsePeer } from "../../testing/FalsePeer.ts"
import { startInstance } from "../../testing/OracleInstance.ts"
import { accountOf, askFor, DEPOSITS, PEER_KEY, signersOf, startPeerFixture } from "../../testing/PeerFixture.ts"
import type { CosignedDeposits } from "../../testing/PeerFixture.ts"

/** Milliseconds that no test waits for: a test that waits for such a peer fails. */
const FOREVER = "60000"

const makeRunning = Effect.gen(function*() {
  const fixture = yield* startPeerFixture
  const { environment, first, second, start } = fixture
  /** The other oracle, and this one, which asks it. */
  const other = yield* start(second, { API_KEYS: `${PEER_KEY}:peers` })
  const asking = yield* start(first, {
    PEERS: `${other.url}|${PEER_KEY};`,
    PEER_REQUEST_TIMEOUT_MS: FOREVER,
    ORACLE_SIGNERS: `${accountOf(first)};${accountOf(second)};`,
    ORACLE_SIGNERS_THRESHOLD: "2"
  })
  const transactionId = yield* fixture.deposit(10n ** 15n)
  /** An oracle with the first one's key and the peers that a test chooses. */
  const instance = (changes: Readonly<Record<string, string>>) =>
    startInstance({ ...environment(first), PEER_REQUEST_TIMEOUT_MS: FOREVER, ...changes })
  const peer = (behaviour: Behaviour = honest) => falsePeer(other.url, PEER_KEY, behaviour)
  return { ...fixture, asking, instance, other, peer, transactionId, us: accountOf(first), them: accountOf(second) }
})

class Running extends fixtureOf<Running>()("test/PeersRunning", makeRunning) {}

/** Peers, each with its own key. */
const peersOf = (...peers: ReadonlyArray<FalsePeer>): string =>
  peers.map(({ url }, index) => `${url}|key-${index}`).join(";")

/** How often a peer was measured with this outcome. */
const measured = (url: string, peer: FalsePeer, outcome: string, shadow = false) =>
  Effect.promise(async () => {
    const text = await fetch(`${url}/metrics`).then((response) => response.text())
    const line = text.split("\n").find((each) =>
      each.startsWith("causeway_peer_answers_total{") &&
      [`peer="${peer.name}"`, `outcome="${outcome}"`, `shadow="${shadow}"`].every((label) => each.includes(label))
    )
    return Number(line?.split(" ").at(-1) ?? "0")
  })

const both = (one: string, other: string): ReadonlyArray<string> => [one, other].toSorted()

const HALF = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n

/** The same signature with s in the upper half. */
const withHighS = (signature: Hex): Hex => {
  const s = HALF - BigInt(`0x${signature.slice(66, 130)}`)
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, "0")}${signature.endsWith("1b") ? "1c" : "1b"}` as Hex
}

const edited = (edit: (execution: CosignedDeposits["execution"]) => object): Behaviour =>
  changed((body) => {
    const answer = JSON.parse(body) as CosignedDeposits
    return JSON.stringify({ ...answer, execution: { ...answer.execution, ...edit(answer.execution) } })
  })

/** A genuine signature under an execution, by a key that belongs to no oracle. */
const signedBy = (key: Hex, { actions, idempotencyKey, signatures: [like] }: CosignedDeposits["execution"]) =>
  Effect.promise(async () => ({
    ...like,
    oracleSigner: accountOf(key),
    signature: await sign({
      privateKey: key,
      to: "hex",
      hash: hashTypedData({
        domain: {
          name: "RelayOracle",
          version: "1",
          chainId: Number(like?.oracleChainId),
          verifyingContract: (like?.oracleContract ?? "0x") as Hex
        },
        types: { Execution: [{ name: "idempotencyKey", type: "bytes32" }, { name: "actions", type: "bytes[]" }] },
        primaryType: "Execution",
        message: { idempotencyKey, actions: [...actions] }
      })
    })
  }))

layer(Running.layer, { excludeTestServices: true })("oracles that sign together", (it) => {
  it.effect("two of them satisfy a gate that requires two, once, to the unit; one does not", () =>
    Effect.gen(function*() {
      const { asking, held, submit, them, transactionId, us } = yield* Running
      const alone = yield* askFor(asking.url, transactionId, {}, false)
      assert.deepStrictEqual([signersOf(alone), alone.signaturesMissing], [[us], undefined])
      assert.strictEqual(yield* submit(alone), "reverted")
      const together = yield* askFor(asking.url, transactionId)
      assert.deepStrictEqual([signersOf(together), together.signaturesMissing, together.shadow], [
        both(us, them),
        undefined,
        undefined
      ])
      assert.lengthOf(together.execution.metadata, 1)
      assert.strictEqual(yield* submit(together), "success")
      const [, to = ""] = /^0x.{64}.{24}(.{40})/u.exec(together.execution.actions[0] ?? "") ?? []
      assert.strictEqual(yield* held(`0x${to}`, together.execution.metadata[0]?.hubTokenId ?? "0"), 10n ** 15n)
      assert.strictEqual(yield* submit(together), "reverted")
    }))

  it.effect("count no lying peer, for any lie, and report what each one did", () =>
    Effect.gen(function*() {
      const { environment, instance, peer, them, transactionId, us } = yield* Running
      const stranger = generatePrivateKey()
      const truth = yield* askFor((yield* Running).asking.url, transactionId)
      const own = truth.execution.signatures.find(({ oracleSigner }) => oracleSigner === us)
      const strangers = yield* signedBy(stranger, truth.execution)
      // Two accounts that may sign and are not peers.
      const [absent, sloppy] = [accountOf(generatePrivateKey()), generatePrivateKey()]
      const sloppys = yield* signedBy(sloppy, truth.execution)
      const lies: Readonly<Record<string, readonly [outcome: string, behaviour: Behaviour]>> = {
        "the truth": ["agrees", honest],
        "the truth again": ["already-counted", honest],
        "another action": [
          "disagrees",
          edited(({ actions }) => ({
            actions: actions.map((action) => action.replace(/.$/u, (digit) => digit === "0" ? "1" : "0"))
          }))
        ],
        "one action more": ["disagrees", edited(({ actions }) => ({ actions: [...actions, ...actions] }))],
        "another key": ["disagrees", edited(() => ({ idempotencyKey: `0x${"ab".repeat(32)}` }))],
        "no execution": [
          "disagrees",
          changed((body) => JSON.stringify({ ...JSON.parse(body) as object, execution: undefined }))
        ],
        "another signer than it claims": [
          "wrong-signer",
          edited(({ signatures }) => ({ signatures: signatures.map((each) => ({ ...each, oracleSigner: absent })) }))
        ],
        "an upper s": [
          "wrong-signer",
          edited(() => ({ signatures: [{ ...sloppys, signature: withHighS(sloppys.signature) }] }))
        ],
        "another hub": [
          "wrong-domain",
          edited(({ signatures }) => ({ signatures: signatures.map((each) => ({ ...each, oracleChainId: "1" })) }))
        ],
        "our own signature": ["already-counted", edited(() => ({ signatures: [own] }))],
        "two signers": ["several-signers", edited(({ signatures }) => ({ signatures: [...signatures, strangers] }))],
        "a signer that is nobody": ["not-allowed", edited(() => ({ signatures: [strangers] }))],
        "no signature": ["no-signature", edited(() => ({ signatures: [] }))],
        "no JSON": ["garbage", changed(() => "<html>")],
        "a list": ["garbage", changed(() => "[]")],
        "actions without end": ["garbage", edited(() => ({ actions: Array.from({ length: 100_000 }, () => "0x") }))],
        "signatures without end": [
          "garbage",
          edited(({ signatures }) => ({ signatures: Array.from({ length: 2_000 }, () => signatures[0]) }))
        ],
        "a flood": ["garbage", flooding],
        "somewhere else": ["error", async (response) => {
          response.writeHead(307, { location: environment(generatePrivateKey()).HUB_RPC_URL }).end()
        }],
        "a failure": ["error", async (response) => {
          response.writeHead(500).end("x".repeat(100_000))
        }],
        "nothing": ["error", async (response) => {
          response.destroy()
        }],
        "not yet": ["refused", async (response) => {
          response.writeHead(400).end("{\"reason\":\"not-final\"}")
        }],
        "who are you": ["unauthorized", async (response) => {
          response.writeHead(401).end()
        }],
        // A shadow may be measured before the gate knows it, because it is not relied on.
        "I am a shadow": [
          "agrees",
          changed((body) => {
            const said = JSON.parse(body) as CosignedDeposits
            return JSON.stringify({ ...said, shadow: true, execution: { ...said.execution, signatures: [strangers] } })
          })
        ]
      }
      const peers = yield* Effect.forEach(Object.entries(lies), ([name, [outcome, behaviour]]) =>
        Effect.map(peer(behaviour), (liar) => ({ liar, name, outcome })))
      const { url } = yield* instance({
        PEERS: peersOf(...peers.map(({ liar }) =>
          liar
        )),
        ORACLE_SIGNERS: [us, them, absent, accountOf(sloppy)].join(";")
      })
      const answer = yield* askFor(url, transactionId)
      assert.deepStrictEqual(signersOf(answer), both(us, them))
      // Of several peers with the same answer only the first one counts, whichever that is.
      const honestOnes = peers.filter(({ name }) => name.startsWith("the truth"))
      const heard = yield* Effect.forEach(honestOnes, ({ liar }) =>
        Effect.all([measured(url, liar, "agrees"), measured(url, liar, "already-counted")]))
      assert.deepStrictEqual(
        heard.map(([agrees, already]) =>
          agrees + already
        ),
        [1, 1]
      )
      for (const { liar, name, outcome } of peers.filter((each) => !honestOnes.includes(each))) {
        assert.strictEqual(yield* measured(url, liar, outcome, name === "I am a shadow"), 1, name)
      }
    }))

  it.effect("answer as soon as the threshold is met, even if peers are silent, and leave no request open", () =>
    Effect.gen(function*() {
      const { instance, peer, them, transactionId, us } = yield* Running
      const mute = yield* peer(silent)
      const scoped = Effect.gen(function*() {
        const { url } = yield* instance({
          PEERS: peersOf(mute, yield* peer()),
          ORACLE_SIGNERS: `${us};${them}`,
          ORACLE_SIGNERS_THRESHOLD: "2"
        })
        const answer = yield* askFor(url, transactionId)
        assert.deepStrictEqual([signersOf(answer), answer.signaturesMissing], [both(us, them), undefined])
        // The silent peer is still measured until its time is over, although no request waits for it.
        assert.strictEqual(mute.pending(), 1)
      })
      yield* Effect.scoped(scoped)
      yield* eventually(
        "what was asked is taken back with the oracle",
        Effect.sync(() => mute.pending()),
        (pending) => pending === 0
      )
    }))

  it.effect("answer with fewer signatures after the time limit, and report how many are missing", () =>
    Effect.gen(function*() {
      const { instance, peer, them, transactionId, us } = yield* Running
      const mute = yield* peer(silent)
      const { url } = yield* instance({
        PEERS: peersOf(mute),
        ORACLE_SIGNERS: them,
        ORACLE_SIGNERS_THRESHOLD: "2",
        PEER_REQUEST_TIMEOUT_MS: "200"
      })
      const answer = yield* askFor(url, transactionId)
      assert.deepStrictEqual([signersOf(answer), answer.signaturesMissing], [[us], 1])
      assert.strictEqual(yield* measured(url, mute, "timeout"), 1)
      yield* eventually("what was asked is taken back", Effect.sync(() => mute.pending()), (pending) => pending === 0)
    }))

  it.effect("are asked while the chain is read", () =>
    Effect.gen(function*() {
      const { alpha, instance, peer, them, transactionId, us } = yield* Running
      const node = yield* lyingNode(alpha.url)
      const prompt = yield* peer()
      const { url } = yield* instance({ ALPHA_RPC_URL: node.url, PEERS: peersOf(prompt) })
      node.hang()
      const asked = yield* Effect.forkChild(askFor(url, transactionId))
      yield* eventually(
        "the peer and the chain have been asked, and the chain says nothing",
        Effect.sync(() => prompt.asked().length === 1 && node.pending() > 0),
        (isSo) => isSo
      )
      node.tellTheTruth()
      assert.deepStrictEqual(signersOf(yield* Fiber.join(asked)), both(us, them))
    }))

  it.effect("ask once, for the peer's own signature, and only when the caller requested it and the claim can be attested", () =>
    Effect.gen(function*() {
      const { instance, peer, transactionId, us } = yield* Running
      const recorder = yield* peer()
      const { url } = yield* instance({ PEERS: peersOf(recorder) })
      const ask = (body: unknown) => Effect.map(post(`${url}${DEPOSITS}`, body), ({ status }) => status)
      for (
        const [status, body] of [
          [400, "{"],
          [400, []],
          [400, { chainId: "alpha", requestPeerSignatures: true }],
          [400, { chainId: "alpha", transactionId, requestPeerSignatures: "true" }],
          [400, { chainId: "mars", transactionId, requestPeerSignatures: true }],
          [400, { chainId: "alpha", transactionId: "0x12", requestPeerSignatures: true }],
          [200, { chainId: "alpha", transactionId }],
          [200, { chainId: "alpha", transactionId, requestPeerSignatures: false }]
        ] as const
      ) assert.strictEqual(yield* ask(body), status, JSON.stringify(body))
      assert.deepStrictEqual(recorder.asked(), [])
      // The body as it was sent, with its own spelling and order of members.
      const body = {
        requestPeerSignatures: true,
        transactionId: transactionId.toUpperCase().replace("0X", "0x"),
        chainId: "alpha"
      }
      assert.strictEqual(yield* ask(body), 200)
      const [asked, ...more] = recorder.asked()
      assert.lengthOf(more, 0)
      assert.deepStrictEqual([asked?.path, asked?.key], [DEPOSITS, "key-0"])
      assert.deepStrictEqual(JSON.parse(asked?.body ?? ""), { ...body, requestPeerSignatures: false })
      // A claim that this oracle refuses waits for no peer.
      recorder.behave(silent)
      assert.strictEqual(
        yield* ask({ chainId: "alpha", transactionId: `0x${"77".repeat(32)}`, requestPeerSignatures: true }),
        400
      )
      yield* eventually("the question is taken back", Effect.sync(() => recorder.pending()), (pending) => pending === 0)
      assert.deepStrictEqual(signersOf(yield* askFor(url, transactionId, {}, false)), [us])
    }))

  it.effect("pass the caller's key on where configured, say so, and send none when the caller sent none", () =>
    Effect.gen(function*() {
      const { instance, peer, transactionId } = yield* Running
      const [trusting, keyed] = [yield* peer(), yield* peer()]
      const { log, url } = yield* instance({
        PEERS: `${trusting.url}|pass-through;${keyed.url}/|its-own-key|with|bars`
      })
      yield* askFor(url, transactionId, { "x-api-key": "somebody's" })
      yield* askFor(url, transactionId)
      assert.deepStrictEqual(trusting.asked().map(({ key }) => key), ["somebody's", undefined])
      assert.deepStrictEqual(keyed.asked().map(({ key, path }) => [key, path]), [["its-own-key|with|bars", DEPOSITS], [
        "its-own-key|with|bars",
        DEPOSITS
      ]])
      assert.isTrue(
        log().some((line) => line.includes(trusting.name) && line.includes("pass-through")),
        log().join("\n")
      )
      assert.notInclude(log().join("\n"), "its-own-key")
    }))

  it.effect("ask and measure shadows, and return none of their signatures", () =>
    Effect.gen(function*() {
      const { environment, instance, peer, second, transactionId, us } = yield* Running
      const shadow = yield* startInstance({ ...environment(second), SHADOW_MODE: "true" })
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const late: Behaviour = async (response, truth) => {
        await released
        await honest(response, truth)
      }
      const [listed, mute] = [yield* peer(late), yield* peer(silent)]
      const { url } = yield* instance({ PEERS: `${listed.url}|a|shadow;${mute.url}|b|shadow;${shadow.url}|c` })
      // The answer does not wait for a shadow, which is still measured until its time is over.
      const answer = yield* askFor(url, transactionId)
      assert.deepStrictEqual([signersOf(answer), answer.shadow], [[us], undefined])
      assert.strictEqual(yield* measured(url, listed, "agrees", true), 0)
      release()
      yield* eventually("the shadow is measured", measured(url, listed, "agrees", true), (count) => count === 1)
      assert.strictEqual((yield* askFor(shadow.url, transactionId)).shadow, true)
      const ready = (at: string) =>
        Effect.promise(() =>
          fetch(`${at}/ready/v1`).then((response) =>
            response.json() as Promise<{ readonly shadow: boolean; readonly peers: unknown }>
          )
        )
      assert.isTrue((yield* ready(shadow.url)).shadow)
      const { peers, shadow: isShadow } = yield* ready(url)
      assert.isFalse(isShadow)
      const { warnings, ...standing } = Schema.decodeUnknownSync(
        Schema.Struct({
          active: Schema.Int,
          shadows: Schema.Int,
          signers: Schema.Null,
          threshold: Schema.Null,
          warnings: Schema.Array(Schema.String)
        })
      )(peers)
      assert.deepStrictEqual(standing, { active: 1, shadows: 2, signers: null, threshold: null })
      assert.isTrue(warnings.some((warning) => warning.startsWith("ORACLE_SIGNERS is not set")))
    }))

  it.effect("cut off a peer that floods them, and still use the others' answers", () =>
    Effect.gen(function*() {
      const { instance, peer, them, transactionId, us } = yield* Running
      const flood = yield* peer(flooding)
      const before = floodedBytes()
      const { url } = yield* instance({ PEERS: peersOf(flood, yield* peer()) })
      const answers = yield* Effect.forEach(Array.from({ length: 40 }), () => askFor(url, transactionId), {
        concurrency: "unbounded"
      })
      assert.isTrue(answers.every((answer) => signersOf(answer).join() === both(us, them).join()))
      assert.strictEqual(flood.asked().length, 40)
      // The bytes that the sockets hold come on top of the bound of 1 MiB.
      assert.isBelow((floodedBytes() - before) / 40, 16 * 1024 * 1024)
      yield* eventually("no flood goes on", Effect.sync(() => flood.pending()), (pending) => pending === 0)
    }))

  it.effect("refuse a threshold that can never be reached, and one for a shadow", () =>
    Effect.gen(function*() {
      const { instance, peer, us } = yield* Running
      const url = peersOf(yield* peer())
      const refused = Effect.fnUntraced(function*(changes: Readonly<Record<string, string>>) {
        const outcome = yield* Effect.exit(Effect.scoped(instance(changes)))
        return Exit.isFailure(outcome) ? String(outcome.cause) : "it started"
      })
      assert.include(yield* refused({ ORACLE_SIGNERS_THRESHOLD: "2" }), "ORACLE_SIGNERS_THRESHOLD")
      assert.include(yield* refused({ PEERS: url, ORACLE_SIGNERS: us, ORACLE_SIGNERS_THRESHOLD: "2" }), "at most 1")
      assert.include(yield* refused({ PEERS: `${url}|shadow`, ORACLE_SIGNERS_THRESHOLD: "2" }), "at most 1")
      assert.include(yield* refused({ PEERS: url, ORACLE_SIGNERS_THRESHOLD: "2", SHADOW_MODE: "true" }), "SHADOW_MODE")
    }))
})
