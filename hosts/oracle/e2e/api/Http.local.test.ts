import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { recoverTypedDataAddress, toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import hubs from "../../../../configs/chains.hub.local.json" with { type: "json" }
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { localKms } from "../../../../adapters/signing/testing/kms/LocalKms.ts"
import { readDocument } from "../../../http/testing/ApiDocument.ts"
import type { OpenApiDocument } from "../../../http/testing/ApiDocument.ts"
import { askRaw, sameAs, unlike } from "../../../http/testing/Spellings.ts"
import { rollingRestart, wrongUnless200 } from "../../../http/testing/RollingRestart.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { ended, execute, nativeRequest, post, postQuote, QuoteAnswer } from "../../../transfer/testing/Client.ts"
import { startOracleInstance } from "../../../transfer/testing/HostInstance.ts"
import { spawnHost, startOracle } from "../../../transfer/testing/HostProcess.ts"
import { lyingNode } from "../../../transfer/testing/LyingNode.ts"
import { eventually } from "../../../transfer/testing/Misbehaving.ts"
import { startNetwork } from "../../../transfer/testing/TransferNetwork.ts"
import { startInstance } from "../../testing/OracleInstance.ts"

const KEY = "first-key"

const makeRunning = Effect.gen(function*() {
  const { chains, startInstance: startTransfer } = yield* startNetwork
  const transfer = yield* startTransfer()
  const key = generatePrivateKey()
  const environment = {
    ENVIRONMENT: "local",
    CHAINS: "alpha,beta",
    ALPHA_RPC_URL: chains.alpha.url,
    BETA_RPC_URL: chains.beta.url,
    HUB_RPC_URL: "http://127.0.0.1:9",
    HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
    ECDSA_PRIVATE_KEY: key,
    API_KEYS: `${KEY}:test;other-key:other;`
  }
  const start = Effect.fnUntraced(function*(changes: Readonly<Record<string, string>> = {}) {
    return yield* startOracleInstance({ ...environment, HTTP_PORT: `${yield* anyFree}`, ...changes })
  })
  const { url } = yield* start()
  const user = chains.users[0] ?? "0x"
  const answer = yield* postQuote(transfer.url, {
    ...nativeRequest(privateKeyToAccount(user).address, chains.alpha, chains.beta, 10n ** 17n),
    includeProtocolData: true
  })
  const quoted = Schema.decodeUnknownSync(QuoteAnswer)(answer.json())
  const receipts = yield* execute(chains.alpha, user, quoted)
  const end = yield* ended(transfer.url, quoted)
  yield* Effect.all([chains.alpha.mine(3), chains.beta.mine(3)])
  return {
    chains,
    deposit: receipts[0]?.transactionHash ?? "0x",
    end,
    environment,
    oracle: privateKeyToAccount(key).address.toLowerCase(),
    quote: answer.json(),
    start,
    url
  }
})

class Running extends fixtureOf<Running>()("test/OracleRunning", makeRunning) {}

/** The members of an answer that the tests read, besides its message. */
const told = Schema.decodeUnknownSync(Schema.Struct({
  message: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  retryable: Schema.optionalKey(Schema.Boolean),
  shadow: Schema.optionalKey(Schema.Boolean)
}))

const Execution = Schema.Struct({
  idempotencyKey: Schema.TemplateLiteral(["0x", Schema.String]),
  actions: Schema.Array(Schema.TemplateLiteral(["0x", Schema.String])),
  metadata: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ hubTokenId: Schema.String, oracleChainId: Schema.String, oracleContract: Schema.String })
    )
  ),
  signatures: Schema.Array(Schema.Struct({
    oracleChainId: Schema.String,
    oracleContract: Schema.TemplateLiteral(["0x", Schema.String]),
    oracleSigner: Schema.String,
    signature: Schema.TemplateLiteral(["0x", Schema.String])
  }))
})

const Deposits = Schema.Struct({
  messages: Schema.Array(Schema.Struct({
    data: Schema.Struct({ chainId: Schema.String, transactionId: Schema.String }),
    result: Schema.Struct({ onchainId: Schema.String, depositId: Schema.String, amount: Schema.String }),
    signature: Schema.Struct({ oracle: Schema.String, signature: Schema.String }),
    extraData: Schema.Struct({ timestamp: Schema.Int })
  })),
  execution: Schema.optionalKey(Execution)
})

const Settlement = Schema.Struct({
  message: Schema.Struct({
    result: Schema.Struct({
      orderId: Schema.String,
      status: Schema.Int,
      totalWeightedInputPaymentBpsDiff: Schema.String
    })
  }),
  execution: Execution
})

/** The bodies that the oracle's document shows. */
const Shown = Schema.Struct({
  paths: Schema.Record(
    Schema.String,
    Schema.Record(
      Schema.String,
      Schema.Struct({
        requestBody: Schema.optionalKey(
          Schema.Struct({ content: Schema.Struct({ "application/json": Schema.Struct({ example: Schema.Json }) }) })
        )
      })
    )
  )
})

const Protocol = Schema.Struct({
  protocol: Schema.Struct({
    v2: Schema.Struct({ orderId: Schema.String, orderData: Schema.Json, orderSignature: Schema.String })
  })
})

const signerOf = ({ actions, idempotencyKey, signatures: [first] }: typeof Execution.Type) =>
  Effect.promise(() =>
    recoverTypedDataAddress({
      domain: {
        name: "RelayOracle",
        version: "1",
        chainId: Number(first?.oracleChainId),
        verifyingContract: first?.oracleContract ?? "0x"
      },
      types: { Execution: [{ name: "idempotencyKey", type: "bytes32" }, { name: "actions", type: "bytes[]" }] },
      primaryType: "Execution",
      message: { idempotencyKey, actions: [...actions] },
      signature: first?.signature ?? "0x"
    })
  )

layer(Running.layer, { excludeTestServices: true })("the oracle over HTTP", (it) => {
  const ask = Effect.fnUntraced(function*(path: string, body: unknown, key: string = KEY) {
    const { url } = yield* Running
    return yield* post(`${url}${path}`, body, { "x-api-key": key })
  })
  const get = Effect.fnUntraced(function*(path: string, key?: string) {
    const { url } = yield* Running
    return yield* Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, key === undefined ? {} : { headers: { "x-api-key": key } })
      return { status: response.status, text: await response.text(), link: response.headers.get("link") }
    })
  })

  it.effect("has one route for every spelling of a path: for keys, methods and metrics", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const patterns = [
        "/attestations/depository-deposits/v1",
        "/attestations/solver-fills/v1",
        "/ready/v1",
        "/lives/v1",
        "/metrics"
      ]
      for (const pattern of patterns) {
        for (const headers of [{}, { "x-api-key": KEY }]) {
          const ask = (target: string) => askRaw({ url, method: "PUT", target, headers })
          const [first, ...others] = yield* Effect.forEach(sameAs(pattern), ask)
          if (first === undefined) return assert.fail("no spelling")
          assert.strictEqual(first.status, "x-api-key" in headers || pattern === "/lives/v1" ? 405 : 401)
          for (const answer of others) {
            assert.deepStrictEqual(
              [answer.status, answer.headers["allow"]],
              [first.status, first.headers["allow"]],
              pattern
            )
          }
          for (const answer of yield* Effect.forEach(unlike(pattern), ask)) {
            assert.strictEqual(answer.status, "x-api-key" in headers ? 404 : 401)
          }
        }
      }
      const { text } = yield* get("/metrics", KEY)
      const labels = new Set(
        [...text.matchAll(/causeway_http_requests_total\{[^}]*route="([^"]*)"/gu)].map(([, route]) => route ?? "")
      )
      for (const label of labels) assert.notMatch(label, /[A-Z%;]|\/\//u)
    }))

  it.effect("attests a deposit and its fill, each signed for the configured hub", () =>
    Effect.gen(function*() {
      const { deposit, end, oracle, quote } = yield* Running
      const { protocol: { v2 } } = Schema.decodeUnknownSync(Protocol)(quote)
      const answer = yield* ask("/attestations/depository-deposits/v1", {
        chainId: "alpha",
        transactionId: deposit.toUpperCase().replace("0X", "0x")
      })
      assert.strictEqual(answer.status, 200, answer.text)
      const { execution, messages: [message] } = Schema.decodeUnknownSync(Deposits)(answer.json())
      assert.deepStrictEqual([
        message?.data.transactionId,
        message?.result.depositId,
        message?.result.amount,
        message?.signature.oracle
      ], [deposit, v2.orderId, `${10n ** 17n}`, oracle])
      if (execution === undefined) return yield* Effect.die(new Error("no execution"))
      assert.strictEqual(execution.signatures[0]?.oracleContract, hubs[0]?.additionalData.oracleAddress)
      assert.strictEqual(execution.metadata?.length, 1)
      assert.strictEqual((yield* signerOf(execution)).toLowerCase(), oracle)
      const filled = yield* ask("/attestations/solver-fills/v1", {
        order: v2.orderData,
        orderSignature: v2.orderSignature,
        inputs: [{ transactionId: deposit, onchainId: message?.result.onchainId, inputIndex: 0 }],
        fill: { transactionId: end.txHashes[0] }
      })
      assert.strictEqual(filled.status, 200, filled.text)
      const settled = Schema.decodeUnknownSync(Settlement)(filled.json())
      assert.deepStrictEqual(settled.message.result, {
        orderId: v2.orderId,
        status: 1,
        totalWeightedInputPaymentBpsDiff: "0"
      })
      assert.strictEqual((yield* signerOf(settled.execution)).toLowerCase(), oracle)
    }), shows("ethereum-vm", "deposit", "payment"))

  it.effect("attests nothing on a chain that contradicts its configuration, names it in readiness, and attests on the others", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { beta }, deposit, end, environment } = yield* Running
      const depository = addressOf("Depository").toLowerCase()
      const code = yield* beta.request("eth_getCode", [depository, "latest"])
      yield* beta.request("anvil_setCode", [depository, "0x"])
      yield* Effect.gen(function*() {
        const { log, url } = yield* startInstance({ ...environment, ECDSA_PRIVATE_KEY: generatePrivateKey() })
        const claim = (chainId: string, transactionId: string) =>
          post(`${url}/attestations/depository-deposits/v1`, { chainId, transactionId }, { "x-api-key": KEY })
        const ready = Effect.promise(() =>
          fetch(`${url}/ready/v1`, { headers: { "x-api-key": KEY } }).then(async (response) => ({
            status: response.status,
            text: await response.text()
          }))
        )
        // The payment deposits nothing on beta: the test is that no deposit is looked for there.
        const refused = yield* claim("beta", end.txHashes[0] ?? "0x")
        assert.strictEqual(refused.status, 503, refused.text)
        assert.include(told(refused.json()).message ?? "", "contradicts its configuration")
        const contradicted = yield* eventually("it is not ready", ready, ({ text }) => text.includes("contradicted"))
        assert.include(contradicted.text, "\"status\":\"not-ready\"")
        assert.include(contradicted.text, `chain beta: depository (${depository}): configured code, found no code`)
        assert.isTrue(log().some((line) => line.includes("out of service: chain beta: depository")))
        const served = yield* claim("alpha", deposit)
        assert.strictEqual(served.status, 200, served.text)
      }).pipe(Effect.ensuring(Effect.orDie(beta.request("anvil_setCode", [depository, code]))))
    })))

  it.effect("cosigns a fill with a peer as it does a deposit", () =>
    Effect.gen(function*() {
      const { deposit, end, environment, oracle, quote, url } = yield* Running
      const { protocol: { v2 } } = Schema.decodeUnknownSync(Protocol)(quote)
      const key = generatePrivateKey()
      const second = yield* startInstance({
        ...environment,
        ECDSA_PRIVATE_KEY: key,
        PEERS: `${url}|${KEY}`,
        PEER_REQUEST_TIMEOUT_MS: "60000"
      })
      const both = [oracle, privateKeyToAccount(key).address.toLowerCase()].toSorted()
      const asked = (path: string, body: object) =>
        post(`${second.url}/attestations/${path}/v1`, { ...body, requestPeerSignatures: true }, { "x-api-key": KEY })
      const { execution, messages: [message] } = Schema.decodeUnknownSync(Deposits)(
        (yield* asked("depository-deposits", { chainId: "alpha", transactionId: deposit })).json()
      )
      assert.deepStrictEqual(execution?.signatures.map(({ oracleSigner }) => oracleSigner), both)
      const filled = yield* asked("solver-fills", {
        order: v2.orderData,
        orderSignature: v2.orderSignature,
        inputs: [{ transactionId: deposit, onchainId: message?.result.onchainId, inputIndex: 0 }],
        fill: { transactionId: end.txHashes[0] }
      })
      const settled = Schema.decodeUnknownSync(Settlement)(filled.json())
      assert.deepStrictEqual(settled.execution.signatures.map(({ oracleSigner }) => oracleSigner), both)
      const recovered = yield* Effect.forEach(settled.execution.signatures, (signature) =>
        signerOf({ ...settled.execution, signatures: [signature] }))
      assert.deepStrictEqual(
        recovered.map((signer) =>
          signer.toLowerCase()
        ),
        both
      )
    }))

  it.effect("refuses an unknown member by its name, at any depth, and asks nobody", () =>
    Effect.gen(function*() {
      const { deposit, end, quote } = yield* Running
      const { protocol: { v2 } } = Schema.decodeUnknownSync(Protocol)(quote)
      const order = v2.orderData as object
      const claim = {
        order,
        orderSignature: v2.orderSignature,
        inputs: [{ transactionId: deposit, onchainId: `0x${"00".repeat(32)}`, inputIndex: 0 }]
      }
      const fill = { ...claim, fill: { transactionId: end.txHashes[0] } }
      const initiated = {
        settlementChainId: "hub",
        expectedAmount: "1",
        chainId: "alpha",
        currency: "0x",
        withdrawer: "0x",
        withdrawerChainId: "alpha",
        recipient: "0x",
        withdrawalNonce: `0x${"00".repeat(32)}`
      }
      const bodies: ReadonlyArray<readonly [path: string, body: object, member: string]> = [
        ["depository-deposits", { chainId: "alpha", transactionId: deposit, note: "" }, "note"],
        [
          "depository-deposits",
          { chainId: "alpha", transactionId: deposit, requestPeerSignature: true },
          "requestPeerSignature"
        ],
        ["solver-fills", { ...fill, order: { ...order, extra: 1 } }, "order.extra"],
        ["solver-fills", { ...fill, inputs: [{ ...claim.inputs[0], weight: "1" }] }, "inputs.0.weight"],
        ["solver-fills", { ...fill, hints: { "exchangea-wm": {} } }, "hints.exchangea-wm"],
        ["solver-refunds", {
          ...claim,
          refunds: [{ transactionId: deposit, inputIndex: 0, refundIndex: 0, amount: "1" }]
        }, "refunds.0.amount"],
        ["depository-withdrawals", { chainId: "alpha", withdrawal: "0x", transaction: "" }, "transaction"],
        ["withdrawal-initiation", { ...initiated, signature: "0x", amount: "2" }, "amount"],
        ["withdrawal-initiated", { ...initiated, signature: "0x" }, "signature"]
      ]
      for (const [path, body, member] of bodies) {
        const answer = yield* ask(`/attestations/${path}/v1`, body)
        assert.strictEqual(answer.status, 400, `${path} ${member}: ${answer.text}`)
        assert.match(told(answer.json()).message ?? "", new RegExp(`^${member.replaceAll(".", "\\.")}: `, "u"))
      }
      // A hint for a family without hints in this version is not a part of what is signed.
      assert.notStrictEqual(
        told((yield* ask("/attestations/solver-fills/v1", { ...fill, hints: { "tron-vm": { any: 1 } } })).json())
          .reason,
        undefined
      )
    }))

  it.effect("names the caller by its key's label in access lines and metrics, and never by the key", () =>
    Effect.gen(function*() {
      const { environment } = yield* Running
      const one = yield* startOracleInstance({
        ...environment,
        HTTP_PORT: `${yield* anyFree}`,
        API_KEYS: `${KEY}:first caller;other-key|other;bare-key`,
        ACCESS_LOG_RATIO: "1"
      })
      const asking = (key: string) =>
        Effect.promise(() =>
          fetch(`${one.url}/chains/v1`, { headers: { "x-api-key": key } }).then(({ status }) => status)
        )
      assert.deepStrictEqual(yield* Effect.forEach([KEY, "other-key", "bare-key", "wrong"], asking), [
        200,
        200,
        200,
        401
      ])
      const metrics = yield* Effect.promise(() =>
        fetch(`${one.url}/metrics`, { headers: { "x-api-key": KEY } }).then((response) => response.text())
      )
      const counted = metrics.split("\n").filter((line) =>
        line.startsWith("causeway_http_requests_total") && line.includes("/chains/v1") && !line.endsWith(" 0")
      )
      const callers = (lines: ReadonlyArray<string>) =>
        lines.map((line) => /"?caller"?[=:]"([^"]*)"/u.exec(line)?.[1] ?? "nobody").toSorted()
      assert.deepStrictEqual(callers(counted), ["first caller", "nobody", "nobody", "other"], metrics)
      const lines = () => one.output().split("\n").filter((line) => line.includes("/chains/v1"))
      yield* eventually("four access lines", Effect.sync(lines), (all) => all.length === 4)
      assert.deepStrictEqual(callers(lines()), ["first caller", "nobody", "nobody", "other"])
      for (const key of [KEY, "other-key", "bare-key"]) assert.notInclude(`${one.output()}${metrics}`, key)
    }))

  it.effect("refuses callers without a key, before it reads anything else", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (const key of ["", "wrong", "constructor", "__proto__", `${KEY}:test`, KEY.slice(0, -1), "other"]) {
        const answer = yield* ask("/attestations/depository-deposits/v1", "{ not json", key)
        assert.deepStrictEqual([answer.status, answer.text], [401, "{\"error\":\"Unauthorized\"}"], key)
      }
      for (const path of ["/chains/v1", "/ready/v1", "/metrics", "/nothing"]) {
        assert.strictEqual((yield* get(path)).status, 401, path)
      }
      for (const path of ["/", "/lives/v1", "/documentation", "/documentation/json", "/openapi.json"]) {
        assert.strictEqual((yield* get(path)).status, 200, path)
      }
      assert.match((yield* get("/")).text, /attestation oracle/u)
      // A browser at an address without a route reads what there is, without a key.
      const lost = yield* Effect.promise(() => fetch(`${url}/nothing`, { headers: { accept: "text/html,*/*;q=0.8" } }))
      assert.deepStrictEqual([lost.status, lost.headers.get("content-type")], [404, "text/plain; charset=utf-8"])
      assert.match(
        yield* Effect.promise(() => lost.text()),
        /nothing at this address[^]*attestation oracle[^]*\/documentation/u
      )
      assert.strictEqual((yield* get("/openapi.json")).text, (yield* get("/documentation/json")).text)
      assert.deepStrictEqual((yield* get("/lives/v1")).text, "{\"status\":\"ok\"}")
      assert.strictEqual((yield* get("/chains/v1", "other-key")).status, 200)
      assert.notInclude((yield* get("/ready/v1", KEY)).text, "http")
      assert.notInclude((yield* get("/chains/v1", KEY)).text, new URL(url).host)
    }))

  it.effect("answers invalid claims, and those that cannot be attested yet, with a sentence and a reason", () =>
    Effect.gen(function*() {
      const { deposit } = yield* Running
      const path = "/attestations/depository-deposits/v1"
      const reason = (body: unknown) => Effect.map(ask(path, body), ({ json, status }) => [status, told(json()).reason])
      assert.deepStrictEqual(yield* reason({ chainId: "alpha", transactionId: `0x${"77".repeat(32)}` }), [
        400,
        "not-found"
      ])
      assert.deepStrictEqual(yield* reason({ chainId: "beta", transactionId: deposit }), [400, "not-found"])
      assert.deepStrictEqual(yield* reason({ chainId: "mars", transactionId: deposit }), [400, "unknown-chain"])
      assert.deepStrictEqual(yield* reason({ chainId: "alpha", transactionId: "0x12" }), [400, "malformed"])
      for (
        const body of ["{", "[]", "null", { chainId: 1, transactionId: deposit }, { transactionId: deposit }, {
          chainId: "alpha",
          transactionId: ""
        }]
      ) {
        const answer = yield* ask(path, body)
        assert.strictEqual(answer.status, 400, JSON.stringify(body))
        assert.isString(told(answer.json()).message)
      }
      assert.strictEqual((yield* ask("/attestations/solver-fills/v1", { order: {}, inputs: [] })).status, 400)
      for (const other of ["depository-withdrawals", "withdrawal-initiation", "withdrawal-initiated"]) {
        assert.strictEqual((yield* ask(`/attestations/${other}/v1`, {})).status, 400)
      }
      assert.strictEqual((yield* get("/nothing", KEY)).status, 404)
      assert.strictEqual((yield* get("/nothing", KEY)).link, "</documentation>; rel=\"help\"")
      for (const wrong of [path, "/attestations/withdrawal-initiated/v1"]) {
        assert.strictEqual((yield* get(wrong, KEY)).status, 405, wrong)
      }
      assert.strictEqual((yield* ask("/lives/v1", {})).status, 405)
      assert.strictEqual(
        (yield* ask(path, `{"chainId":"alpha","transactionId":"${"a".repeat(1_100_000)}"}`)).status,
        413
      )
    }))

  it.effect("answers each body that its document shows as the document declares", () =>
    Effect.gen(function*() {
      const shown: unknown = JSON.parse((yield* get("/openapi.json")).text)
      const document = readDocument(shown as OpenApiDocument)
      const { paths } = Schema.decodeUnknownSync(Shown)(shown)
      const examples = document.operations.flatMap((operation) => {
        const body = paths[operation.path]?.[operation.method.toLowerCase()]?.requestBody
        return body === undefined ? [] : [{ operation, body: body.content["application/json"].example }]
      })
      assert.isNotEmpty(examples)
      for (const { body, operation } of examples) {
        const answer = yield* ask(operation.path, body)
        assert.isUndefined(
          document.faultOf(operation, answer.status, "application/json", answer.text),
          `${operation.name}: ${answer.status} ${answer.text}`
        )
        // A claim is refused with a reason, a body that does not decode without one. 503: no hub answers here.
        if (answer.status === 400) assert.isDefined(told(answer.json()).reason, `${operation.name}: ${answer.text}`)
      }
    }))

  it.effect("refuses an invalid claim, whichever of its members is wrong", () =>
    Effect.gen(function*() {
      const { deposit, end, quote } = yield* Running
      const { protocol: { v2 } } = Schema.decodeUnknownSync(Protocol)(quote)
      const order = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Json))(v2.orderData)
      const { messages: [message] } = Schema.decodeUnknownSync(Deposits)(
        (yield* ask("/attestations/depository-deposits/v1", { chainId: "alpha", transactionId: deposit })).json()
      )
      const input = { transactionId: deposit, onchainId: message?.result.onchainId, inputIndex: 0 }
      const claim = {
        order,
        orderSignature: v2.orderSignature,
        inputs: [input],
        fill: { transactionId: end.txHashes[0] ?? "" }
      }
      const asked = (path: string, body: unknown) => ask(`/attestations/${path}/v1`, body)
      const right = yield* asked("solver-fills", claim)
      assert.strictEqual(right.status, 200, right.text)
      // Another spelling of an id is the same id and gives the same bytes.
      const respelled = yield* asked("solver-fills", {
        ...claim,
        fill: { transactionId: ` 0X${claim.fill.transactionId.slice(2).toUpperCase()}` }
      })
      assert.deepStrictEqual(
        Schema.decodeUnknownSync(Settlement)(respelled.json()).execution,
        Schema.decodeUnknownSync(Settlement)(right.json()).execution
      )
      const wrong: Readonly<Record<string, unknown>> = {
        "no order": { ...claim, order: undefined },
        "an order of a member": { ...claim, order: { version: "v1" } },
        "another version": { ...claim, order: { ...order, version: "v2" } },
        "a salt that is a number": { ...claim, order: { ...order, salt: 7 } },
        "a deadline as a text": {
          ...claim,
          order: { ...order, output: Object.assign({}, order["output"], { deadline: "1800000000" }) }
        },
        "an amount as a number": {
          ...claim,
          order: {
            ...order,
            inputs: [{
              refunds: [],
              payment: { chainId: "alpha", currency: `0x${"00".repeat(20)}`, amount: 1, weight: "1" }
            }]
          }
        },
        "no inputs in the order": { ...claim, order: { ...order, inputs: [] } },
        "an input index as a text": { ...claim, inputs: [{ ...input, inputIndex: "0" }] },
        "a negative input index": { ...claim, inputs: [{ ...input, inputIndex: -1 }] },
        "no inputs": { ...claim, inputs: [] },
        "inputs that are none": { ...claim, inputs: {} },
        "an input twice": { ...claim, inputs: [input, input] },
        "an onchain id that is too short": { ...claim, inputs: [{ ...input, onchainId: "0x12" }] },
        "a fill of nothing": { ...claim, fill: {} },
        "a fill that is a list": { ...claim, fill: [claim.fill] },
        "a signature that is none": { ...claim, orderSignature: "0x" },
        "a signature of something else": { ...claim, orderSignature: `${v2.orderSignature.slice(0, -4)}0000` },
        "requestPeerSignatures as a text": { ...claim, requestPeerSignatures: "true" }
      }
      for (const [name, body] of Object.entries(wrong)) {
        const answer = yield* asked("solver-fills", body)
        assert.strictEqual(answer.status, 400, `${name}: ${answer.text}`)
        assert.isAbove((told(answer.json()).message ?? "").length, 10, name)
        assert.notInclude(answer.text, "Something went wrong", name)
      }
      const refund = { ...claim, refunds: [{ transactionId: claim.fill.transactionId, inputIndex: 0, refundIndex: 0 }] }
      for (
        const refunds of [[], [{ ...refund.refunds[0], refundIndex: 9 }], [{ ...refund.refunds[0], inputIndex: 9 }], [
          refund.refunds[0],
          refund.refunds[0]
        ], refund.refunds]
      ) {
        assert.strictEqual(
          (yield* asked("solver-refunds", { ...refund, refunds })).status,
          400,
          JSON.stringify(refunds)
        )
      }
    }))

  it.effect("cancels its reads of a chain when the client leaves, and answers in time when a chain does not", () =>
    Effect.gen(function*() {
      const { chains, deposit, start } = yield* Running
      const node = yield* lyingNode(chains.alpha.url)
      const { url } = yield* start({ ALPHA_RPC_URL: node.url })
      const send = (signal: AbortSignal | null) =>
        fetch(`${url}/attestations/depository-deposits/v1`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-api-key": KEY },
          body: JSON.stringify({ chainId: "alpha", transactionId: deposit }),
          signal
        })
      node.hang()
      yield* Effect.promise(() =>
        send(AbortSignal.timeout(300)).then(() => assert.fail("it was answered"), () => undefined)
      )
      yield* eventually(
        "nothing is asked of the node any more",
        Effect.sync(() => node.pending()),
        (pending) => pending === 0
      )
      const late = yield* Effect.promise(() => send(null))
      assert.strictEqual(late.status, 503)
      node.tellTheTruth()
      assert.strictEqual((yield* Effect.promise(() => send(null))).status, 200)
    }))

  it.effect("answers 503 for a chain whose endpoints are dead, while the others are served", () =>
    Effect.gen(function*() {
      const { deposit, start } = yield* Running
      const { url } = yield* start({ BETA_RPC_URL: "http://127.0.0.1:9/secret-path", SHADOW_MODE: "true" })
      const asked = (chainId: string) =>
        post(`${url}/attestations/depository-deposits/v1`, { chainId, transactionId: deposit }, { "x-api-key": KEY })
      const dead = yield* asked("beta")
      assert.deepStrictEqual([dead.status, told(dead.json()).retryable], [503, true])
      assert.notInclude(dead.text, "secret-path")
      const alive = yield* asked("alpha")
      assert.deepStrictEqual([alive.status, told(alive.json()).shadow], [200, true])
      const ready = yield* Effect.promise(() =>
        fetch(`${url}/ready/v1`, { headers: { "x-api-key": KEY } }).then((response) => response.text())
      )
      assert.include(ready, "\"status\":\"not-ready\"")
    }))

  it.effect("signs with a KMS key: starts without the KMS, reports what is wrong, and attests as soon as the KMS works", () =>
    Effect.gen(function*() {
      const { deposit, start } = yield* Running
      const kms = yield* localKms
      kms.fail("denied")
      const { output, url } = yield* start({
        CHAINS: "alpha",
        SIGNING_MODULE: "cloud-kms",
        ECDSA_PRIVATE_KEY: "",
        CLOUD_KMS_SIGNER_KEY_ID: kms.keyId,
        CLOUD_KMS_SIGNER_KEY_REGION: kms.account.region,
        AWS_ENDPOINT_URL_KMS: kms.url,
        AWS_ACCESS_KEY_ID: kms.account.accessKeyId,
        AWS_SECRET_ACCESS_KEY: kms.account.secretAccessKey
      })
      const account = privateKeyToAccount(toHex(kms.secret)).address.toLowerCase()
      const asked = post(`${url}/attestations/depository-deposits/v1`, { chainId: "alpha", transactionId: deposit }, {
        "x-api-key": KEY
      })
      const ready = Effect.promise(() =>
        fetch(`${url}/ready/v1`, { headers: { "x-api-key": KEY } }).then((response) => response.text())
      )
      const refused = yield* asked
      assert.deepStrictEqual([refused.status, told(refused.json()).retryable], [503, false])
      const notReady = yield* ready
      assert.include(notReady, "\"status\":\"not-ready\"")
      assert.include(notReady, "signerProblem")
      kms.fail(undefined)
      const answer = yield* asked
      assert.strictEqual(answer.status, 200, answer.text)
      const { execution, messages: [message] } = Schema.decodeUnknownSync(Deposits)(answer.json())
      if (execution === undefined) return yield* Effect.die(new Error("no execution"))
      assert.deepStrictEqual([
        message?.signature.oracle,
        execution.signatures[0]?.oracleSigner,
        (yield* signerOf(execution)).toLowerCase()
      ], [account, account, account])
      assert.include(yield* ready, `"status":"ready","signer":"${account}"`)
      assert.notMatch(
        `${output()}${refused.text}${notReady}`,
        new RegExp(
          `${kms.keyId}|secret-name|${kms.account.accessKeyId}|${kms.account.secretAccessKey.replaceAll("+", "\\+")}`
        )
      )
    }))

  it.effect("restarts one process after the other without a failed request: each answers 503 first and exits with 0", () =>
    Effect.gen(function*() {
      const { deposit, environment } = yield* Running
      const ports = [yield* anyFree, yield* anyFree]
      const headers = { "content-type": "application/json", "x-api-key": KEY }
      const body = JSON.stringify({ chainId: "alpha", transactionId: deposit })
      const { answered, ends, failures, readiness } = yield* rollingRestart({
        start: (number) =>
          startOracle({
            ...environment,
            HTTP_PORT: `${ports[number] ?? 0}`,
            SHUTDOWN_DELAY_SECONDS: "5",
            CHAINS: "alpha"
          }),
        count: 2,
        readiness: "/ready/v1",
        headers,
        asks: [
          {
            name: "an attestation",
            at: async (url) =>
              wrongUnless200(
                await fetch(`${url}/attestations/depository-deposits/v1`, { method: "POST", headers, body })
              )
          },
          { name: "the chains", at: async (url) => wrongUnless200(await fetch(`${url}/chains/v1`, { headers })) }
        ]
      })
      assert.deepStrictEqual(failures, [])
      assert.deepStrictEqual([readiness, ends], [[503, 503], [0, 0]])
      assert.isAbove(answered, 100)
    }))

  it.effect("lists everything that is wrong with its environment in one message, without any value", () =>
    Effect.gen(function*() {
      const { environment, start } = yield* Running
      const failing = Effect.fnUntraced(
        function*(changes: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) {
          const host = yield* spawnHost("oracle", { ...environment, ...changes })
          assert.strictEqual(yield* host.ended, 1)
          for (const word of words) assert.include(host.output(), word)
          return host.output()
        }
      )
      const output = yield* failing(
        {
          ECDSA_PRIVATE_KEY: "0xsecret",
          API_KEYS: "a:1;a:2",
          HTTP_PORT: "99999",
          SIGNING_MODULE: "raw-private-key",
          HUB_RPC_URL: "",
          PEERS: "http://x|;http://y|pass-through",
          ORACLE_SIGNERS: "0x",
          ORACLE_SIGNERS_THRESHOLD: "0",
          PEER_REQUEST_TIMEOUT_MS: "0"
        },
        "ECDSA_PRIVATE_KEY",
        "API_KEYS",
        "HTTP_PORT",
        "HUB_RPC_URL",
        "PEERS: entry 1",
        "PEERS: entry 2",
        "ORACLE_SIGNERS",
        "ORACLE_SIGNERS_THRESHOLD",
        "PEER_REQUEST_TIMEOUT_MS"
      )
      assert.notInclude(output, "0xsecret")
      yield* failing({ REQUIRE_RPC_QUORUM: "true" }, "alpha", "beta", "REQUIRE_RPC_QUORUM")
      const { url } = yield* start({ CHAINS: "alpha", BETA_RPC_URL: "" })
      assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/lives/v1`))).status, 200)
      yield* failing({ ENVIRONMENT: "moon" }, "chains.moon.json", "chains.hub.moon.json")
    }))
})
