import { isNetworkError, retry } from "@parcelkit/core/retry"

export interface Credentials {
  readonly account: string
  readonly secret: string
}

export interface Label {
  readonly number: string
  readonly document: string
  readonly format: "pdf" | "zpl"
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly json: { parcel_number: string; document: string }
}

export const timeout = 10_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends a request to a carrier; one that does not get through is repeated. */
export async function request(url: string, credentials: Credentials, body?: unknown): Promise<Answer> {
  return retry(() => send(url, credentials, body), isNetworkError, sleep)
}

async function send(url: string, credentials: Credentials, body: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: headers(credentials),
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(timeout),
  })
  const text = await response.text()
  return { status: response.status, text, json: parsed(text) }
}

function headers(credentials: Credentials): Record<string, string> {
  const pair = Buffer.from(`${credentials.account}:${credentials.secret}`).toString("base64")
  return { authorization: `Basic ${pair}`, "content-type": "application/json", "user-agent": "parcelkit" }
}

function parsed(text: string): Answer["json"] {
  try {
    return JSON.parse(text)
  } catch {
    return { parcel_number: "", document: "" }
  }
}
