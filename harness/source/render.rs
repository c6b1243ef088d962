//! Problems as text: path, line, column, caret, hint.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};

use super::{Problem, Span};

/// Problems one after another, each followed by an empty line; with terminal colours if `colour`.
pub fn render(problems: &[Problem], colour: bool) -> String {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    problems
        .iter()
        .map(|p| renderer.render(&groups(p)) + "\n\n")
        .collect()
}

fn groups(problem: &Problem) -> Vec<Group<'_>> {
    let title = Level::ERROR.primary_title(&problem.message);
    let mut group = match problem.span {
        Some(span) => Group::with_title(title).element(snippet(problem, span)),
        None => Group::with_title(title).element(Origin::path(&problem.source.path)),
    };
    if let Some(help) = &problem.help {
        group = group.element(Level::HELP.message(help));
    }
    let mut groups = vec![group];
    if let (Some(span), Some(replacement)) = (problem.span, &problem.replacement) {
        let patch = Patch::new(span.start..span.end, replacement);
        let snippet = Snippet::source(&problem.source.text)
            .path(&problem.source.path)
            .patch(patch);
        let title = format!("did you mean `{replacement}`?");
        groups.push(Group::with_title(Level::HELP.secondary_title(title)).element(snippet));
    }
    groups
}

fn snippet(problem: &Problem, span: Span) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let mut main = AnnotationKind::Primary.span(span.start..span.end);
    if !problem.label.is_empty() {
        main = main.label(&problem.label);
    }
    let snippet = Snippet::source(&problem.source.text)
        .path(&problem.source.path)
        .annotation(main);
    match &problem.also {
        Some((also, label)) => {
            snippet.annotation(AnnotationKind::Context.span(also.start..also.end).label(label))
        }
        None => snippet,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::Source;

    #[test]
    fn colour_is_there_only_where_it_is_asked_for() {
        let source = Arc::new(Source::new("f.yaml", "a: é b\n"));
        let span = Span { start: 3, end: 5 };
        let problem = Problem::at(&source, span, "no")
            .labelled("this")
            .hint("that")
            .instead(Some("e"));
        let plain = render(std::slice::from_ref(&problem), false);
        assert!(!plain.contains('\u{1b}'), "{plain}");
        assert!(plain.contains("1 | a: é b\n  |    ^ this"), "{plain}");
        assert!(render(&[problem], true).contains('\u{1b}'));
    }
}
