/** The oracle's document says what every member is, shows every body, and is one of OpenAPI. */
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Result, Schema } from "effect"
import { isMembers, membersOf } from "../../../http/document/DescribedSchemas.ts"
import type { Json } from "../../../http/document/DescribedSchemas.ts"
import { DepositsRequest, FillRequest, RefundRequest } from "../attestations/AttestationsApi.ts"
import { InitiatedRequestBody, InitiationRequestBody, WithdrawalRequestBody } from "../withdrawals/WithdrawalsApi.ts"
import { descriptions } from "./Descriptions.ts"
import { oracleDocument } from "./OracleDocument.ts"

const requests = {
  attestDeposits: DepositsRequest,
  attestFill: FillRequest,
  attestRefund: RefundRequest,
  attestWithdrawal: WithdrawalRequestBody,
  attestInitiation: InitiationRequestBody,
  attestInitiated: InitiatedRequestBody
} as const

const operations = Object.values(membersOf(oracleDocument["paths"])).flatMap((item) =>
  Object.values(membersOf(item)).map((operation) => membersOf(operation))
)

const idOf = ({ operationId }: { readonly [key: string]: Json }): string =>
  typeof operationId === "string" ? operationId : assert.fail("an operation without an id")

const bodyOf = (operation: { readonly [key: string]: Json }) =>
  membersOf(membersOf(membersOf(operation["requestBody"])["content"])["application/json"])

describe("the oracle's document", () => {
  it("is one of OpenAPI", async () => {
    const { errors, valid } = await new Validator().validate({ ...oracleDocument })
    assert.isTrue(valid, JSON.stringify(errors))
  })

  it("describes every member of every body, and knows no member that there is not", () => {
    const undescribed: Array<string> = []
    const used = new Set<string>()
    const walk = (value: Json, where: string): void => {
      if (Array.isArray(value)) return value.forEach((each: Json) => walk(each, where))
      if (!isMembers(value)) return
      for (const [name, member] of Object.entries(value)) {
        if (name === "example") continue
        walk(member, `${where}/${name}`)
        if (name !== "properties") continue
        for (const [property, schema] of Object.entries(membersOf(member))) {
          const { description } = membersOf(schema)
          if (typeof description === "string") used.add(description)
          else if (!("$ref" in membersOf(schema))) undescribed.push(`${where}.${property}`)
        }
      }
    }
    walk(oracleDocument, "")
    assert.deepStrictEqual(undescribed, [])
    assert.deepStrictEqual(Object.entries(descriptions).filter(([, text]) => !used.has(text)), [])
  })

  it("shows a body for every operation that takes one, which its request accepts without a member too many", () => {
    const withBody = operations.filter((operation) => "requestBody" in operation)
    assert.sameMembers(withBody.map(idOf), Object.keys(requests))
    for (const operation of withBody) {
      const id = idOf(operation)
      const request = Object.entries(requests).find(([name]) => name === id)?.[1] ?? assert.fail(id)
      const decoded = Schema.decodeUnknownResult(request, { onExcessProperty: "error" })(
        bodyOf(operation)["example"]
      )
      assert.isTrue(Result.isSuccess(decoded), `${id}: ${Result.isFailure(decoded) ? decoded.failure.message : ""}`)
    }
  })

  it("has the key as a security scheme of everything but the health check", () => {
    const keyed = operations.filter(({ security }) => Array.isArray(security) && security.length > 0)
      .map(idOf)
    assert.lengthOf(keyed, operations.length - 1)
    assert.notInclude(keyed, "getLives")
    assert.deepInclude(membersOf(membersOf(membersOf(oracleDocument["components"])["securitySchemes"])["apiKey"]), {
      in: "header",
      name: "x-api-key"
    })
  })
})
