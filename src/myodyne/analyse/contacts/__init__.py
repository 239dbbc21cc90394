"""Contacts under the feet of a model: placed from its geometry, fitted to a recorded stance."""

from myodyne.analyse.contacts.fit import ContactFit, StanceFit, fit_contacts
from myodyne.analyse.contacts.place import place_contacts

__all__ = ["ContactFit", "StanceFit", "fit_contacts", "place_contacts"]
