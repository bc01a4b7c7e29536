//! The table that a benchmark prints.

/// One figure.
pub(crate) struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    bound: Option<Bound>,
}

/// Where a figure should stay.
#[derive(Clone, Copy)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { what: what.into(), value, unit, bound: None }
    }

    pub(crate) fn at_most(self, bound: f64) -> Self {
        Self { bound: Some(Bound::AtMost(bound)), ..self }
    }

    /// For figures that are the same in every run.
    pub(crate) fn at_least(self, bound: f64) -> Self {
        Self { bound: Some(Bound::AtLeast(bound)), ..self }
    }

    pub(crate) fn is_far_off(&self) -> bool {
        self.mark() == " far off"
    }

    fn mark(&self) -> &'static str {
        match self.bound {
            Some(Bound::AtMost(bound)) if self.value > 2.0 * bound => " far off",
            Some(Bound::AtLeast(bound)) if self.value < bound => " far off",
            Some(Bound::AtMost(bound)) if self.value > bound => " over",
            _ => "",
        }
    }
}

pub(crate) fn print(rows: &[Row]) {
    println!("{:<64} {:>12} {:<12} {:>9}", "figure (median)", "value", "unit", "bound");
    for row in rows {
        let bound = row.bound.map_or_else(String::new, |bound| match bound {
            Bound::AtMost(bound) => format!("{bound}"),
            Bound::AtLeast(bound) => format!("≥ {bound:.2}"),
        });
        println!("{:<64} {:>12.3} {:<12} {bound:>9}{}", row.what, row.value, row.unit, row.mark());
    }
}

/// The middle of some measurements.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
