/** What every page of the course loads: demos and quizzes come to life. */

import { CourseDemo } from "./demo.js"
import { tellHeight } from "./embed.js"
import { mountQuiz } from "./quiz.js"
import { watchScrollers } from "./scrollers.js"

function mountQuizzes() {
  for (const form of document.querySelectorAll("form.quiz")) {
    if (form instanceof HTMLFormElement) mountQuiz(form)
  }
}

if (!customElements.get("course-demo")) customElements.define("course-demo", CourseDemo)
mountQuizzes()
tellHeight()
watchScrollers()
// Material's instant navigation, where a site turns it on, replaces the page without loading it anew.
const { document$: pages } = /** @type {{document$?: {subscribe: (next: () => void) => void}}} */ (globalThis)
pages?.subscribe(mountQuizzes)
