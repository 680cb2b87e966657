/**
 * A demo's form as a state, and back. A state is an object of texts, `{d_k: "64"}`, in the order of
 * the controls. Several inputs with one name are one matrix, their values joined by commas.
 */

/** @typedef {Record<string, string>} State */

/**
 * The form's state.
 * @param {HTMLFormElement} form
 * @returns {State}
 */
export function readState(form) {
  /** @type {State} */
  const state = {}
  for (const [name, inputs] of controls(form)) state[name] = readControl(inputs)
  return state
}

/**
 * Set the controls that `state` names; the others stay.
 * @param {HTMLFormElement} form
 * @param {State} state
 */
export function writeState(form, state) {
  for (const [name, inputs] of controls(form)) {
    if (name in state) writeControl(inputs, state[name])
  }
  reflect(form)
}

/**
 * Show what follows from the state: the numbers beside sliders, and which controls apply.
 * @param {HTMLFormElement} form
 */
export function reflect(form) {
  const state = readState(form)
  for (const output of form.querySelectorAll("output[data-for]")) {
    if (output instanceof HTMLOutputElement) output.textContent = shown(output, state)
  }
  for (const range of form.querySelectorAll("input[data-stops]")) {
    if (range instanceof HTMLInputElement) range.setAttribute("aria-valuetext", state[range.name])
  }
  for (const control of form.querySelectorAll("[data-when]")) {
    if (control instanceof HTMLElement) control.hidden = !holds(control.dataset.when ?? "", state)
  }
}

/**
 * The one spelling of a state, as `demos.kit.key` writes it.
 * @param {State} state
 */
export function stateKey(state) {
  return Object.entries(state)
    .map(([name, value]) => `${name}=${value}`)
    .join("&")
}

/**
 * What `a=1&b=2` says.
 * @param {string} text
 * @returns {State}
 */
export function parsePairs(text) {
  return Object.fromEntries(
    text
      .split("&")
      .filter(Boolean)
      .map((pair) => {
        const cut = pair.indexOf("=")
        return [pair.slice(0, cut), pair.slice(cut + 1)]
      }),
  )
}

/**
 * Whether every part of `step=3&mode=try,check` is true of the state.
 * @param {string} condition
 * @param {State} state
 */
function holds(condition, state) {
  return Object.entries(parsePairs(condition)).every(([name, values]) =>
    values.split(",").includes(state[name]),
  )
}

/**
 * @param {HTMLFormElement} form
 * @returns {Map<string, (HTMLInputElement | HTMLSelectElement)[]>}
 */
function controls(form) {
  const found = new Map()
  for (const input of form.elements) {
    const control = input instanceof HTMLInputElement || input instanceof HTMLSelectElement
    if (control && input.name) found.set(input.name, [...(found.get(input.name) ?? []), input])
  }
  return found
}

/** @param {(HTMLInputElement | HTMLSelectElement)[]} inputs */
function readControl(inputs) {
  const [first] = inputs
  if (first.type === "radio") {
    return inputs.find((input) => input instanceof HTMLInputElement && input.checked)?.value ?? ""
  }
  if (first instanceof HTMLInputElement) {
    if (first.type === "checkbox") return String(first.checked)
    if (first.dataset.stops) return first.dataset.stops.split(",")[Number(first.value)]
  }
  return inputs.map((input) => input.value).join(",")
}

/**
 * @param {(HTMLInputElement | HTMLSelectElement)[]} inputs
 * @param {string} value
 */
function writeControl(inputs, value) {
  const [first] = inputs
  if (first.type === "radio") {
    for (const input of inputs) {
      if (input instanceof HTMLInputElement) input.checked = input.value === value
    }
  } else if (first instanceof HTMLInputElement && first.type === "checkbox") {
    first.checked = value === "true"
  } else if (first instanceof HTMLInputElement && first.dataset.stops) {
    first.value = String(first.dataset.stops.split(",").indexOf(value))
  } else if (inputs.length > 1) {
    const cells = value.split(",")
    inputs.forEach((input, i) => {
      input.value = cells[i] ?? ""
    })
  } else {
    first.value = value
  }
}

/**
 * @param {HTMLOutputElement} output
 * @param {State} state
 */
function shown(output, state) {
  const value = state[output.dataset.for ?? ""]
  return output.dataset.stepOf?.replace("{k}", String(Number(value) + 1)) ?? value
}
