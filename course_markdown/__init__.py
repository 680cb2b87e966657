"""Course chapters in Markdown: blocks, formulas as MathML, checked numbers, errors with their cure."""

from course_markdown.extension import CourseExtension, makeExtension

__all__ = ["CourseExtension", "makeExtension"]
